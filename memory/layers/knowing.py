"""What a scope knows already, for its distiller: names of concepts, and words that say little there."""

from memory.layers.elements import run_sql
from memory.layers.models import Node
from memory.layers.rules.aliases import aliases_of
from memory.layers.rules.proposals import Known
from memory.layers.rules.strength import CONCEPT

_MOST_CONCEPTS = 20_000
_COMMON = 0.2
_FEWEST_ROWS = 200


def known_in(scope: int) -> Known:
    """The concepts of a scope by name and alias, the newest where there are too many, and its most frequent lexemes."""
    concepts: dict[str, tuple[str, str]] = {}
    rows = Node.objects.filter(scope=scope, layer=CONCEPT, superseded_by=None, merged_into=None, phi_ref=None)
    for kind, name, attributes in rows.order_by("-id").values_list("type", "name", "attributes")[:_MOST_CONCEPTS]:
        for alias in (name, *aliases_of(attributes)):
            concepts.setdefault(alias.casefold(), (kind, name))
    frequent = run_sql(
        "select t.term from scope_stat s join term_df t on t.scope = s.scope"
        " where s.scope = %(scope)s and s.rows >= %(fewest)s and t.df > %(common)s * s.rows",
        {"scope": scope, "fewest": _FEWEST_ROWS, "common": _COMMON},
    )
    return Known(concepts, frozenset(row[0] for row in frequent))
