"""Concept and link patterns as joins."""

from dataclasses import replace

from memory.kip.graph import number_of
from memory.kip.language.errors import KipError
from memory.kip.language.tree import (
    ConceptClause,
    ConceptMatch,
    LinkClause,
    LinkId,
    LinkMatch,
    Predicates,
    Term,
    Variable,
)
from memory.kip.querying.groups import Column, Group
from memory.kip.querying.hops import walk
from memory.kip.querying.kinds import Kind
from memory.kip.querying.variables import has_hops


def add_concept(group: Group, clause: ConceptClause) -> None:
    """`?v {…}`: binds the variable, or checks what it stands for."""
    name, match = clause.variable.name, clause.match
    known = group.columns.get(name)
    if known is not None and known.kind in (Kind.LINK, Kind.PREDICATE):
        check_match(group, match)
        group.require("false")
        return
    node = known.node if known is not None and known.kind is Kind.CONCEPT else None
    if node is None:
        node = _joined_node(group, match)
        if known is not None:
            group.require_same(f"{node}.id", known.sql)
    _match(group, node, match)
    group.columns[name] = Column(f"{node}.id", Kind.CONCEPT, node=node, is_exact=is_exact(match))


def add_link(group: Group, clause: LinkClause) -> None:
    """`?v (…)` or `(…)`: binds every variable in it, or checks what it stands for."""
    variable, match = clause.variable, clause.match
    if isinstance(match, LinkMatch) and has_hops(match):
        if variable is not None:
            raise KipError(
                "KIP_1001",
                f"?{variable.name} cannot stand for a walk of several links.",
                hint="Leave the variable before the parenthesis out, or the hops.",
                at=variable.at,
            )
        add_walk(group, match)
        return
    link = add_pattern(group, match)
    if variable is None:
        return
    known = group.columns.get(variable.name)
    if known is None:
        group.columns[variable.name] = Column(f"{link}.id", Kind.LINK, link=link, is_exact=isinstance(match, LinkId))
    elif known.kind is Kind.PREDICATE:
        group.require("false")
    else:
        group.require_same(f"{link}.id", known.sql)
        if known.kind is Kind.ELEMENT:
            group.columns[variable.name] = replace(known, kind=Kind.LINK, node=None, link=link)


def add_pattern(group: Group, match: LinkMatch | LinkId) -> str:
    """Join the links of a pattern without hops; returns the name of their table."""
    compiling = group.compiling
    link = compiling.table("l")
    keys: list[set[str]] = [{f"{link}.id"}, {f"{link}.subject", f"{link}.predicate", f"{link}.object"}]
    if isinstance(match, LinkId):
        keys.append(set())
    elif isinstance(match.predicate, Predicates) and len(match.predicate.names) == 1:
        keys.append({f"{link}.subject", f"{link}.object"})
    group.join(f"link {link}", *keys, name=link)
    group.require(*compiling.link_conditions(link))
    if isinstance(match, LinkId):
        group.require(_has_id(group, link, match.id))
        return link
    _match_predicate(group, link, match.predicate)
    bind(group, match.subject, f"{link}.subject")
    bind(group, match.object, f"{link}.object")
    return link


def add_walk(group: Group, match: LinkMatch) -> None:
    """Join the ends of a walk, from the side that is known, or better known."""
    predicates = match.predicate
    assert isinstance(predicates, Predicates)
    for name, _ in predicates.names:
        group.compiling.registry.require_predicate(name, at=predicates.at)
    subject, object = _known(group, match.subject), _known(group, match.object)
    backwards = object is not None and (subject is None or (object.is_exact and not subject.is_exact))
    begin = object if backwards else subject
    begins, ends = walk(group, predicates, begin.sql if begin else None, backwards=backwards)
    if begin is None:
        bind(group, match.subject, begins)
    other = match.subject if backwards else match.object
    if isinstance(other, Variable):
        bind(group, other, ends)
    else:
        known = subject if backwards else object
        assert known is not None
        group.require_same(ends, known.sql)


def bind(group: Group, term: Term, end: str) -> None:
    """Say what one end of a link is; `end` is its SQL."""
    if isinstance(term, Variable):
        known = group.columns.get(term.name)
        if known is None:
            group.columns[term.name] = Column(end, Kind.ELEMENT)
        else:
            _require_element(group, known, end)
        return
    column = _known(group, term)
    assert column is not None
    group.require_same(column.sql, end)


def _require_element(group: Group, known: Column, end: str) -> None:
    if known.kind is Kind.PREDICATE:
        group.require("false")
    else:
        group.require_same(end, known.sql)


def is_exact(match: ConceptMatch) -> bool:
    """Whether a matcher means one node at most."""
    return match.id is not None or (match.type is not None and match.name is not None)


def check_match(group: Group, match: ConceptMatch) -> None:
    """Raise KIP_2001 for a type that is not registered."""
    if match.type is not None:
        group.compiling.registry.require_type(match.type, at=match.at)


def _known(group: Group, term: Term) -> Column | None:
    """The column of a term that says what it is; None for a variable that is not bound yet."""
    if isinstance(term, Variable):
        return group.columns.get(term.name)
    if isinstance(term, ConceptMatch):
        node = _joined_node(group, term)
        _match(group, node, term)
        return Column(f"{node}.id", Kind.CONCEPT, node=node, is_exact=is_exact(term))
    if isinstance(term, LinkMatch) and has_hops(term):
        raise KipError("KIP_1001", "A walk of several links cannot be the end of a link.", at=term.at)
    link = add_pattern(group, term)
    return Column(f"{link}.id", Kind.LINK, link=link, is_exact=isinstance(term, LinkId))


def _joined_node(group: Group, match: ConceptMatch) -> str:
    node = group.compiling.table("n")
    group.join(f"node {node}", {f"{node}.id"}, *([set()] if is_exact(match) else []), name=node)
    group.require(*group.compiling.node_conditions(node))
    return node


def _match(group: Group, node: str, match: ConceptMatch) -> None:
    check_match(group, match)
    if match.id is not None:
        group.require(_has_id(group, node, match.id))
    if match.type is not None:
        group.require(f"{node}.type = {group.compiling.value(match.type)}")
    if match.name is not None:
        group.require(f"{node}.name = {group.compiling.value(match.name)}")


def _match_predicate(group: Group, link: str, predicate: Predicates | Variable) -> None:
    if isinstance(predicate, Variable):
        known = group.columns.get(predicate.name)
        if known is None:
            group.columns[predicate.name] = Column(f"{link}.predicate", Kind.PREDICATE)
        else:
            group.require(f"{link}.predicate = {known.sql}" if known.kind is Kind.PREDICATE else "false")
        return
    for name, _ in predicate.names:
        group.compiling.registry.require_predicate(name, at=predicate.at)
    names = [name for name, _ in predicate.names]
    if len(names) == 1:
        group.require(f"{link}.predicate = {group.compiling.value(names[0])}")
    else:
        group.require(f"{link}.predicate = any({group.compiling.value(names)})")


def _has_id(group: Group, table: str, given: str) -> str:
    number = number_of(given)
    return "false" if number is None else f"{table}.id = {group.compiling.value(number)}"
