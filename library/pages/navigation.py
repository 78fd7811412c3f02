"""Where the pages of the Library stand in the navigation."""

from common.registries import NavigationItem, navigation

_WITHIN = (
    *("library_add", "library_revisions", "library_deleted", "library_limits", "library_prompt", "library_file"),
    *("library_difference", "library_edit", "library_replace", "library_move", "library_delete", "library_restore"),
)


def register_pages() -> None:
    """Tell the house about the Library."""
    item = NavigationItem("Library", "library_page", "What seats are given", "l", within=frozenset(_WITHIN))
    navigation.add("library", item)
