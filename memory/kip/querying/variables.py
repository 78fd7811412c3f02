"""Which variables clauses bind, and which they speak of."""

from collections.abc import Iterable, Iterator

from memory.kip.language.tree import (
    And,
    Block,
    Clause,
    Comparison,
    ConceptClause,
    Condition,
    Constant,
    Filter,
    LinkClause,
    LinkId,
    LinkMatch,
    Membership,
    Not,
    NullTest,
    Or,
    Path,
    Term,
    TextTest,
    Variable,
)


def bound_by(clauses: Iterable[Clause]) -> set[str]:
    """The names of the variables that these clauses bind for what comes after them."""
    return {name for clause in clauses for name in _bound(clause)}


def spoken_of(clause: Clause) -> set[str]:
    """The names of all variables in a clause, inner ones of its blocks too."""
    if isinstance(clause, Filter):
        return {path.variable.name for path in paths_of(clause.condition)}
    if isinstance(clause, Block):
        return {name for inner in clause.clauses for name in spoken_of(inner)}
    return set(_bound(clause))


def paths_of(condition: Condition) -> Iterator[Path]:
    """The paths in a condition."""
    if isinstance(condition, Not):
        yield from paths_of(condition.condition)
    elif isinstance(condition, And | Or):
        for part in condition.conditions:
            yield from paths_of(part)
    elif isinstance(condition, NullTest):
        yield condition.path
    elif isinstance(condition, Membership):
        yield from _path(condition.operand)
    elif isinstance(condition, Comparison | TextTest):
        yield from _path(condition.left)
        yield from _path(condition.right)


def has_hops(match: LinkMatch | LinkId) -> bool:
    """Whether a pattern is a walk."""
    if isinstance(match, LinkId) or isinstance(match.predicate, Variable):
        return False
    return any(hops is not None for _, hops in match.predicate.names)


def _path(operand: Path | Constant) -> Iterator[Path]:
    if isinstance(operand, Path):
        yield operand


def _bound(clause: Clause) -> Iterator[str]:
    if isinstance(clause, ConceptClause):
        yield clause.variable.name
    elif isinstance(clause, LinkClause):
        if clause.variable is not None:
            yield clause.variable.name
        yield from _in_match(clause.match)
    elif isinstance(clause, Block) and clause.kind != "NOT":
        for inner in clause.clauses:
            yield from _bound(inner)


def _in_match(match: LinkMatch | LinkId) -> Iterator[str]:
    if isinstance(match, LinkId):
        return
    if isinstance(match.predicate, Variable):
        yield match.predicate.name
    for term in (match.subject, match.object):
        yield from _in_term(term)


def _in_term(term: Term) -> Iterator[str]:
    if isinstance(term, Variable):
        yield term.name
    elif isinstance(term, LinkMatch):
        yield from _in_match(term)
