"""Counts beside memories and sessions on pages: bounded, and only of what the reader may know."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.layers.statements import fetched, released_node_sql
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

MOST = 10_000
MOST_UNDER = 1_000


@dataclass(frozen=True)
class SessionCounts:
    """Sessions of the bound scopes that are there for the reader, those with lines not yet distilled, and the lines."""

    sessions: int
    waiting: int
    lines: int


def bounded(count: int, most: int = MOST) -> str:
    """A count with thousands separators; beyond `most` as "10,000+"."""
    return f"{most:,}+" if count > most else f"{count:,}"


def session_counts(binding: Binding) -> SessionCounts:
    """The sessions of the bound scopes, as far as the gate releases them."""
    row = fetched(
        "select count(*) sessions, count(*) filter (where s.line_count > s.distilled_until) waiting,"
        " coalesce(sum(s.line_count - s.distilled_until), 0)::bigint lines from"
        " (select z.*, case when z.classification = 'PHI' then true end sealed from session z"
        f"  where z.scope = any(%(scopes)s)) s where {released_sql('s')}",
        gate_values(binding) | {"scopes": binding.scope_ids},
    )[0]
    return SessionCounts(**row)


def counts_under(binding: Binding, ids: Sequence[int]) -> dict[int, int]:
    """How many memories are part of or mention each of these, counted up to 1,000."""
    if not ids:
        return {}
    rows = fetched(
        "select p.id, count(*) n from unnest(%(ids)s::bigint[]) p(id) cross join lateral ("
        " select 1 from link k join node n on n.id = k.subject and n.merged_into is null and n.superseded_by is null"
        "  where k.object = p.id and k.predicate in ('part_of', 'mentions') and n.scope = any(%(scopes)s)"
        f"  and {released_node_sql()} limit {MOST_UNDER}) c group by p.id",
        gate_values(binding) | {"ids": list(ids), "scopes": binding.scope_ids},
    )
    return {row["id"]: row["n"] for row in rows}
