"""Where the pages of domains stand in the navigation."""

from common.registries import NavigationItem, navigation

_WITHIN = (
    *("domain_new", "domain_page", "domain_access", "domain_members", "domain_retire", "domain_log"),
    *("domain_rewrite", "domain_revisions", "domain_revision", "domain_difference"),
    *("domain_key_set", "domain_key_reveal", "domain_key_delete", "domain_evidence", "domain_evidence_one"),
)


def register_pages() -> None:
    """Tell the house about shared domains."""
    item = NavigationItem("Domains", "domains_page", "What seats are given", "o", within=frozenset(_WITHIN))
    navigation.add("domains", item)
