"""WHERE by the letter of its rules: solutions in Python, clause by clause, slow and plain."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from memory.kip.language.tree import (
    And,
    Block,
    Clause,
    Comparison,
    ConceptClause,
    ConceptMatch,
    Condition,
    Constant,
    Filter,
    Hops,
    LinkClause,
    LinkId,
    LinkMatch,
    Membership,
    Not,
    NullTest,
    Operand,
    Or,
    Path,
    Term,
    TextTest,
    Variable,
)
from memory.kip.querying.variables import bound_by, spoken_of

Row = dict[str, Any]  # a number is an element, a text a predicate


@dataclass(frozen=True)
class Node:
    """A concept."""

    type: str
    name: str
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Link:
    """A link between two elements."""

    subject: int
    predicate: str
    object: int
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Naive:
    """A graph in memory."""

    nodes: Mapping[int, Node]
    links: Mapping[int, Link]

    def solutions(self, clauses: Sequence[Clause], seed: Row | None = None) -> list[Row]:
        """All solutions, duplicates included."""
        around = seed or {}
        rows, begun = [dict(around)], False
        order = _ordered(clauses, set(around))
        for place, clause in enumerate(order):
            if isinstance(clause, Block) and clause.kind == "UNION":
                rows = self._union(rows if begun else [], clause, around, order[:place])
                begun = True
                continue
            begun = begun or not isinstance(clause, Filter)
            rows = [found for row in rows for found in self._after(clause, row)]
        return rows

    def value(self, row: Row, path: Path) -> Any:
        """The value at a path; None for what is absent."""
        bound = row.get(path.variable.name)
        if isinstance(bound, str):
            return None if path.fields else bound
        element = self.nodes.get(bound) or self.links.get(bound) if bound is not None else None
        if element is None:
            return None
        if not path.fields:
            return f"{'C' if bound in self.nodes else 'P'}:{bound}"
        top, *rest = path.fields
        if top == "attributes":
            value: Any = element.attributes
            for key in rest:
                value = value.get(key) if isinstance(value, Mapping) else None
            return value
        return None if rest else getattr(element, top, None) if top in ("type", "name", "predicate") else None

    def _union(self, rows: list[Row], block: Block, around: Row, before: Sequence[Clause]) -> list[Row]:
        alone = self.solutions(block.clauses)
        fresh = (bound_by(before) | bound_by(block.clauses)) - around.keys()
        both = rows + [
            {**row, **around}
            for row in alone
            if all(row.get(name) is None or row[name] == value for name, value in around.items())
        ]
        return [{**dict.fromkeys(fresh), **row} for row in both]

    def _after(self, clause: Clause, row: Row) -> Iterator[Row]:
        if isinstance(clause, ConceptClause):
            for number, node in self.nodes.items():
                if _matches(clause.match, number, node):
                    yield from _with(row, clause.variable, number)
        elif isinstance(clause, LinkClause):
            yield from self._link(clause, row)
        elif isinstance(clause, Filter):
            if self.holds(clause.condition, row):
                yield row
        elif clause.kind == "NOT":
            if not self.solutions(clause.clauses, row):
                yield row
        else:
            fresh = bound_by(clause.clauses) - row.keys()
            found = self.solutions(clause.clauses, row)
            yield from ({**dict.fromkeys(fresh), **one} for one in found or [row])

    def _link(self, clause: LinkClause, row: Row) -> Iterator[Row]:
        match = clause.match
        assert isinstance(match, LinkMatch)
        if not isinstance(match.predicate, Variable) and any(hops for _, hops in match.predicate.names):
            for begin, end in self._walks(match):
                for one in self._term(match.subject, begin, row):
                    yield from self._term(match.object, end, one)
            return
        for number, one in self._links(match, row):
            if clause.variable is None:
                yield one
            else:
                yield from _with(one, clause.variable, number)

    def _links(self, match: LinkMatch, row: Row) -> Iterator[tuple[int, Row]]:
        for number, link in self.links.items():
            if isinstance(match.predicate, Variable):
                named = _with(row, match.predicate, link.predicate)
            else:
                named = iter([row] if link.predicate in [name for name, _ in match.predicate.names] else [])
            for one in named:
                for other in self._term(match.subject, link.subject, one):
                    for last in self._term(match.object, link.object, other):
                        yield number, last

    def _term(self, term: Term, element: int, row: Row) -> Iterator[Row]:
        if isinstance(term, Variable):
            yield from _with(row, term, element)
        elif isinstance(term, ConceptMatch):
            node = self.nodes.get(element)
            if node is not None and _matches(term, element, node):
                yield row
        elif isinstance(term, LinkMatch):
            for number, found in self._links(term, row):
                if number == element:
                    yield found
        else:
            assert isinstance(term, LinkId)
            if term.id == f"P:{element}":
                yield row

    def _walks(self, match: LinkMatch) -> set[tuple[int, int]]:
        assert not isinstance(match.predicate, Variable)
        found: set[tuple[int, int]] = set()
        for name, hops in match.predicate.names:
            least, most = ((hops or Hops(1, 1)).least, (hops or Hops(1, 1)).most or 10)
            if hops is not None and hops.most == 0:
                most = 0
            steps = {(link.subject, link.object) for link in self.links.values() if link.predicate == name}
            walks = {(one, one) for one in (*self.nodes, *self.links)}
            for step in range(most + 1):
                if step >= least:
                    found |= walks
                walks = {(begin, end) for begin, middle in walks for start, end in steps if start == middle}
        return found

    def holds(self, condition: Condition, row: Row) -> bool:
        """Whether a condition holds."""
        if isinstance(condition, Not):
            return not self.holds(condition.condition, row)
        if isinstance(condition, And):
            return all(self.holds(part, row) for part in condition.conditions)
        if isinstance(condition, Or):
            return any(self.holds(part, row) for part in condition.conditions)
        if isinstance(condition, NullTest):
            return (self.value(row, condition.path) is None) == condition.is_null
        if isinstance(condition, Membership):
            value = self._operand(condition.operand, row)
            return any(_equal(value, one) for one in condition.values)
        left, right = self._operand(condition.left, row), self._operand(condition.right, row)
        if isinstance(condition, TextTest):
            return isinstance(left, str) and isinstance(right, str) and _TESTS[condition.function](left, right)
        assert isinstance(condition, Comparison)
        if condition.operator in ("==", "!="):
            return _equal(left, right) == (condition.operator == "==")
        if type(left) is bool or type(right) is bool or _kind(left) != _kind(right) or _kind(left) is None:
            return False
        return bool(_ORDERS[condition.operator](left, right))

    def _operand(self, operand: Operand, row: Row) -> Any:
        return operand.value if isinstance(operand, Constant) else self.value(row, operand)


def _ordered(clauses: Sequence[Clause], known: set[str]) -> list[Clause]:
    """A filter stands behind what binds its variables, a block apart from what is known behind its patterns."""
    order: list[Clause] = []
    open_clauses = list(clauses)
    while open_clauses:
        ready = [one for one in open_clauses if not _waits(one, known, open_clauses)]
        first = (ready or open_clauses)[0]
        order.append(first)
        open_clauses.remove(first)
        known |= bound_by([first])
    return order


def _waits(clause: Clause, known: set[str], open_clauses: list[Clause]) -> bool:
    others = [one for one in open_clauses if one is not clause]
    if isinstance(clause, Filter):
        return bool((spoken_of(clause) - known) & bound_by(others))
    if not isinstance(clause, Block) or clause.kind == "UNION" or spoken_of(clause) & known:
        return False
    behind = others[open_clauses.index(clause) :]
    near = takewhile(lambda one: not (isinstance(one, Block) and one.kind == "UNION"), behind)
    return bool(spoken_of(clause) & bound_by(one for one in near if not isinstance(one, Block)))


_TESTS: dict[str, Callable[[str, str], bool]] = {
    "CONTAINS": lambda text, part: part in text,
    "STARTS_WITH": lambda text, part: text.startswith(part),
    "ENDS_WITH": lambda text, part: text.endswith(part),
    "REGEX": lambda text, pattern: re.search(pattern, text) is not None,
}
_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
}


def _matches(match: ConceptMatch, number: int, node: Node) -> bool:
    return match.id in (None, f"C:{number}") and match.type in (None, node.type) and match.name in (None, node.name)


def _with(row: Row, variable: Variable, value: Any) -> Iterator[Row]:
    if variable.name not in row:
        yield {**row, variable.name: value}
    elif row[variable.name] is not None and type(row[variable.name]) is type(value) and row[variable.name] == value:
        yield row


def _kind(value: Any) -> str | None:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else None


def _equal(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return left is None and right is None
    return _kind(left) is not None and _kind(left) == _kind(right) and bool(left == right)
