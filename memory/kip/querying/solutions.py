"""WHERE as one SELECT whose rows are the solutions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from memory.kip.graph import Graph
from memory.kip.language.errors import KipError
from memory.kip.language.tree import (
    Block,
    Clause,
    ConceptClause,
    Filter,
    LinkClause,
    LinkMatch,
    Variable,
)
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.filters import condition_sql
from memory.kip.querying.groups import Column, Group, unbound
from memory.kip.querying.indexed import indexed
from memory.kip.querying.keys import Keys
from memory.kip.querying.kinds import Kind, common_kind
from memory.kip.querying.patterns import add_concept, add_link
from memory.kip.querying.variables import bound_by, has_hops, spoken_of
from memory.layers.elements import run_sql

__all__ = ["Kind", "Relation", "bound", "compile_where", "where_group"]

# A pattern of three free variables is refused in a graph with more links than this.
MOST_UNCONSTRAINED = 100_000


@dataclass(frozen=True)
class Relation:
    """A SELECT with a column for each variable, named v0, v1, …, and its values."""

    sql: str
    values: dict[str, Any]
    kinds: dict[str, Kind]

    def column(self, variable: Variable) -> str:
        """The name of a variable's column. Raises KIP_3001 when no clause binds it."""
        if variable.name not in self.kinds:
            raise unbound(variable)
        return f"v{list(self.kinds).index(variable.name)}"


def compile_where(graph: Graph, clauses: Sequence[Clause]) -> Relation:
    """The solutions of WHERE. Raises KipError for what can be told before it runs."""
    compiling = Compiling(graph)
    group = where_group(compiling, clauses)
    names = list(group.columns)
    columns = ", ".join(f"{group.columns[name].sql} v{place}" for place, name in enumerate(names))
    sql = compiling.beginning + group.select(columns or "1 nothing")
    return Relation(sql, compiling.values, {name: group.columns[name].kind for name in names})


def where_group(compiling: Compiling, clauses: Sequence[Clause]) -> Group:
    """The same as a part of a statement in the making."""
    group = Group(compiling)
    add_clauses(group, clauses)
    return group


def bound(graph: Graph, relation: Relation, variable: Variable, *, limit: int | None = None) -> list[int]:
    """The ids of the elements that a variable stands for, each once, ascending; the `limit` first of them."""
    column = relation.column(variable)
    if relation.kinds[variable.name] is Kind.PREDICATE:
        raise KipError("KIP_3001", f"?{variable.name} stands for a predicate, not for an element.", at=variable.at)
    rows = run_sql(
        f"select distinct {column} from ({relation.sql}) found where {column} is not null order by 1"
        " limit %(g_most)s::bigint",
        relation.values | {"g_most": limit},
    )
    return [row[0] for row in rows]


def add_clauses(group: Group, clauses: Sequence[Clause]) -> None:
    """Add clauses from first to last. A clause that only tests waits for what it speaks of, if that comes later."""
    waiting: list[Clause] = []
    for place, clause in enumerate(clauses):
        later = clauses[place + 1 :]
        if _is_union(clause):
            for walk in [one for one in waiting if isinstance(one, LinkClause)]:
                waiting.remove(walk)
                _add(group, walk, _others(clauses, walk))
            _add_ready(group, waiting, clauses, [clause, *later])
        if _waits(group, clause, later, waiting):
            waiting.append(clause)
            continue
        _add(group, clause, _others(clauses, clause))
        _add_ready(group, waiting, clauses, later)
    while waiting:
        _add(group, first := waiting.pop(0), _others(clauses, first))
        _add_ready(group, waiting, clauses, [])


def _add_ready(group: Group, waiting: list[Clause], clauses: Sequence[Clause], later: Sequence[Clause]) -> None:
    """Add what no longer waits, over and over, for one may be what another waits for."""
    while ready := [one for one in waiting if not _waits(group, one, later, _others(waiting, one))]:
        waiting.remove(ready[0])
        _add(group, ready[0], _others(clauses, ready[0]))


def _others(clauses: Sequence[Clause], clause: Clause) -> list[Clause]:
    return [one for one in clauses if one is not clause]


def _waits(group: Group, clause: Clause, later: Sequence[Clause], waiting: Sequence[Clause]) -> bool:
    """Whether a clause is to be added behind some of those that come later, or that wait themselves.

    A filter waits for its variables. A block waits for the walks before it, and where it has nothing in common with
    what stands before it, for the patterns behind it. A walk waits for whatever says where it begins or ends.
    """
    needed, known = spoken_of(clause), group.columns.keys()
    if isinstance(clause, Filter):
        return bool((needed - known) & bound_by([*later, *waiting]))
    # What comes behind a UNION is no part of its left side.
    near = list(takewhile(lambda one: not _is_union(one), later))
    if isinstance(clause, Block):
        walks = [one for one in waiting if isinstance(one, LinkClause)]
        patterns = [one for one in near if isinstance(one, ConceptClause | LinkClause)]
        apart = not needed & known and needed & bound_by(patterns)
        return not _is_union(clause) and bool((needed - known) & bound_by(walks) or apart)
    if isinstance(clause, LinkClause) and has_hops(clause.match):
        assert isinstance(clause.match, LinkMatch)
        ends = [end.name for end in (clause.match.subject, clause.match.object) if isinstance(end, Variable)]
        has_beginning = len(ends) < 2 or any(name in known for name in ends)
        return not has_beginning and bool(set(ends) & bound_by(near))
    return False


def _is_union(clause: Clause) -> bool:
    return isinstance(clause, Block) and clause.kind == "UNION"


def _add(group: Group, clause: Clause, others: Sequence[Clause]) -> None:
    _added(group, clause, others)
    group.is_begun = group.is_begun or not isinstance(clause, Filter)


def _added(group: Group, clause: Clause, others: Sequence[Clause]) -> None:
    if isinstance(clause, ConceptClause):
        add_concept(group, clause)
    elif isinstance(clause, LinkClause):
        _require_bounds(group, clause, others)
        add_link(group, clause)
    elif isinstance(clause, Filter):
        group.require(condition_sql(group, clause.condition), *indexed(group, clause.condition))
    elif clause.kind == "NOT":
        inner = group.inner()
        add_clauses(inner, clause.clauses)
        group.require(f"not exists ({inner.select('1')})")
    elif clause.kind == "OPTIONAL":
        _add_optional(group, clause)
    else:
        _add_union(group, clause)


def _add_optional(group: Group, block: Block) -> None:
    inner = group.inner()
    add_clauses(inner, block.clauses)
    fresh = [name for name in inner.columns if name not in group.columns]
    if not fresh:
        return
    table = group.compiling.table("o")
    columns = ", ".join(f"{inner.columns[name].sql} o{place}" for place, name in enumerate(fresh))
    group.left_join(f"lateral ({inner.select(f'distinct {columns}')}) {table}", "true")
    group.keys.add(table, {f"{table}.o{place}" for place in range(len(fresh))})
    for place, name in enumerate(fresh):
        group.columns[name] = Column(f"{table}.o{place}", inner.columns[name].kind, may_be_null=True)


def _add_union(group: Group, block: Block) -> None:
    """What stands before and the block, one below the other; the block knows nothing of what is around it."""
    alone = Group(group.compiling)
    add_clauses(alone, block.clauses)
    before = group.columns
    is_first = not group.is_begun
    own = _own(group)
    names = list(dict.fromkeys([*([] if is_first else own), *alone.columns]))
    kinds = {name: _kind_of(name, alone, before if not is_first or name in before else {}, block) for name in names}
    parts = [] if is_first else [group.select(_columns(names, before, kinds))]
    parts.append(alone.select(_columns(names, alone.columns, kinds)))
    table = group.compiling.table("u")
    group.tables, group.conditions, group.keys = [], [], Keys()
    group.join(f"({' union '.join(parts)}) {table}", {f"{table}.u{place}" for place in range(len(names))}, name=table)
    around = group.around
    group.columns = dict(around)
    for place, name in enumerate(names):
        column = f"{table}.u{place}"
        if name in around:
            group.require(f"({column} is null or {column} = {around[name].sql})")
        else:
            group.columns[name] = Column(column, kinds[name], may_be_null=True)


def _own(group: Group) -> list[str]:
    return [name for name in group.columns if name not in group.around]


def _kind_of(name: str, alone: Group, before: dict[str, Column], block: Block) -> Kind:
    kinds = [columns[name].kind for columns in (before, alone.columns) if name in columns]
    kind = kinds[0] if len(kinds) == 1 else common_kind(kinds[0], kinds[1])
    if kind is None:
        raise KipError("KIP_1001", f"?{name} stands for a predicate here and for an element there.", at=block.at)
    return kind


def _columns(names: Sequence[str], columns: dict[str, Column], kinds: dict[str, Kind]) -> str:
    shown = [
        f"{columns[name].sql if name in columns else f'null::{kinds[name].sql_type}'} u{place}"
        for place, name in enumerate(names)
    ]
    return ", ".join(shown) or "1 nothing"


def _require_bounds(group: Group, clause: LinkClause, others: Sequence[Clause]) -> None:
    """Raise KIP_4002 for a pattern of three free variables in a large graph."""
    match = clause.match
    if not isinstance(match, LinkMatch):
        return
    parts = [part for part in (match.subject, match.predicate, match.object) if isinstance(part, Variable)]
    names = {part.name for part in parts}
    if len(parts) < 3 or names & group.columns.keys() or names & bound_by(others):
        return
    rows = run_sql(
        "select count(*) from (select 1 from link where scope = %(scope)s limit %(most)s) z",
        {"scope": group.compiling.graph.scope, "most": MOST_UNCONSTRAINED + 1},
    )
    if rows[0][0] > MOST_UNCONSTRAINED:
        raise KipError(
            "KIP_4002",
            f"A pattern of three free variables is refused in a graph of more than {MOST_UNCONSTRAINED:,} links.",
            hint="Name the predicate, or bind the subject or the object.",
            at=match.at,
        )
