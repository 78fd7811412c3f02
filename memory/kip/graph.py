"""The graph of one scope as one caller may know it, and how its elements are called."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.layers.elements import run_sql
from memory.phi.gate import gate_values, may_see_phi, released_sql
from spaces.access import Binding

_ID = re.compile(r"(?:[CP]:)?([1-9][0-9]{0,18})", re.ASCII)
_GREATEST = 2**63 - 1


@dataclass(frozen=True)
class Graph:
    """What a text runs on. `released` are the ids of the PHI facts that the gate releases to this caller.

    A node that stands for another PHI fact does not exist for KIP, nor does what is linked to it. `withholds`: whether
    there may be any such node, or one that was corrected or merged; where there is none, nothing is looked for.
    """

    scope: int
    binding: Binding
    at: datetime
    released: frozenset[str]
    privileged: bool = False
    withholds: bool = True


def graph_of(binding: Binding, at: datetime, *, privileged: bool = False) -> Graph:
    """The graph of the one bound scope, for the caller of the binding, now."""
    scope = binding.one.pk
    return Graph(scope, binding, at, _released(binding, scope), privileged, _withholds(scope))


def concept_id(number: int) -> str:
    """What a node is called in texts and answers."""
    return f"C:{number}"


def link_id(number: int) -> str:
    """What a link is called in texts and answers."""
    return f"P:{number}"


def number_of(text: str) -> int | None:
    """The number of an element by what it is called; None for what is no name of any."""
    found = _ID.fullmatch(text)
    number = int(found[1]) if found else 0
    return number if 0 < number <= _GREATEST else None


def visible_sql(table: str) -> str:
    """The condition that a row of `node` is there for the caller; takes the values of `graph_values`."""
    return (
        f"(({table}.phi_ref is null and {table}.classification is distinct from 'PHI'"
        f" or {table}.phi_ref = any(%(g_released)s)) and {table}.superseded_by is null and {table}.merged_into is null)"
    )


# Links with an end that is not there, and links to those; `hidden` is then a table of their ids.
HIDDEN = (
    "hidden(id) as (select h.id from node h where h.scope = %(g_scope)s and (h.phi_ref is not null"
    f" or h.superseded_by is not null or h.merged_into is not null) and not {visible_sql('h')}"
    " union select e.id from hidden x cross join lateral (select a.id from link a where a.subject = x.id"
    " union all select b.id from link b where b.object = x.id) e)"
)


def graph_values(graph: Graph) -> dict[str, Any]:
    """The values that the conditions of this module take."""
    return {"g_scope": graph.scope, "g_released": sorted(graph.released), "g_at": graph.at}


def _released(binding: Binding, scope: int) -> frozenset[str]:
    if not may_see_phi(binding):
        return frozenset()
    rows = run_sql(
        "select f.id from node n join fact f on f.scope = n.scope and f.id = n.phi_ref"
        f" where n.scope = %(scope)s and n.phi_ref is not null and {released_sql()}",
        gate_values(binding) | {"scope": scope},
    )
    return frozenset(row[0] for row in rows)


def _withholds(scope: int) -> bool:
    """Whether a node of the scope may be absent; each kind has a partial index of its own."""
    rows = run_sql(
        "select exists (select 1 from node where scope = %(scope)s and phi_ref is not null)"
        " or exists (select 1 from node where scope = %(scope)s and superseded_by is not null)"
        " or exists (select 1 from node where scope = %(scope)s and merged_into is not null)",
        {"scope": scope},
    )
    return bool(rows[0][0])
