"""MERGE: one concept goes into another, with its links, its attributes and its names."""

from memory.kip.changing.updating import targets
from memory.kip.changing.workspace import Workspace
from memory.kip.elements import Act, Concept, Element, Link
from memory.kip.language.errors import KipError
from memory.kip.language.tree import Clause, ConceptClause, Json, Merge, Variable
from memory.kip.querying.kinds import Kind
from memory.kip.querying.solutions import Relation, compile_where
from memory.kip.rules.protection import protected, stays
from memory.kip.rules.values import same
from memory.layers.elements import run_sql

_TRAIL = "_merged_from"


def merge(space: Workspace, statement: Merge) -> dict[str, Json]:
    """Execute a MERGE and return what it did. Raises KipError."""
    relation = compile_where(space.graph, statement.where)
    source = _only(space, relation, statement.source, statement)
    target = _only(space, relation, statement.target, statement)
    if source is target:
        return _result(0, 0, 0)
    if source.type != target.type:
        raise KipError(
            "KIP_2002",
            f"A {source.type} cannot be merged into a {target.type}.",
            hint="Merge concepts of one type.",
            at=statement.at,
        )
    for concept in (source, target):
        if stays(concept.type, concept.name):
            raise protected(concept.type, concept.name, "it cannot be merged", at=statement.at)
    repointed, dropped = _take_links(space, source, target)
    filled = _take_attributes(space, source, target)
    _take_sources(source.id, target.id)
    space.remove(source, Act.MERGE)
    return _result(repointed, dropped, filled)


def _result(repointed: int, dropped: int, filled: int) -> dict[str, Json]:
    return {
        "merged": True,
        "links_repointed": repointed,
        "links_deduplicated": dropped,
        "attributes_filled": filled,
    }


def _only(space: Workspace, relation: Relation, variable: Variable, statement: Merge) -> Concept:
    """The one concept that a variable is bound to."""
    relation.column(variable)
    if relation.kinds[variable.name] is Kind.LINK:
        raise KipError("KIP_2002", f"?{variable.name} is a proposition; concepts are merged.", at=variable.at)
    found = [element for element in targets(space, variable, relation, 2) if isinstance(element, Concept)]
    if not found:
        raise KipError(
            "KIP_3002", f"?{variable.name} matches no concept.", hint=_replayed(space, statement), at=variable.at
        )
    if len(found) > 1:
        raise KipError("KIP_3003", f"?{variable.name} matches more than one concept.", at=variable.at)
    return found[0]


def _replayed(space: Workspace, statement: Merge) -> str | None:
    """The hint for a merge that was made before: the source is gone, and another concept says that it took it in."""
    for clause in statement.where:
        if not _names(clause, statement.source):
            continue
        assert isinstance(clause, ConceptClause)
        name, type = clause.match.name, clause.match.type
        taken = run_sql(
            "select n.name from node n where n.scope = %(scope)s and n.phi_ref is null"
            " and n.type = %(type)s and n.metadata->'_merged_from' @> to_jsonb(%(tag)s::text) order by n.id limit 1",
            {"scope": space.graph.scope, "type": type, "tag": f"{type}:{name}"},
        )
        if taken and type is not None and space.named(type, str(name)) is None:
            return f'"{name}" is already merged into "{taken[0][0]}": nothing is left to do.'
    return None


def _names(clause: Clause, variable: Variable) -> bool:
    return (
        isinstance(clause, ConceptClause)
        and clause.variable.name == variable.name
        and clause.match.type is not None
        and clause.match.name is not None
    )


def _take_links(space: Workspace, source: Concept, target: Concept) -> tuple[int, int]:
    """Give the source's links to the target; how many got another end, and how many were there already.

    One that is there already goes, and what refers to it refers to the one that stays. One that would join the target
    to itself goes with what refers to it.
    """
    repointed, dropped = 0, 0
    waiting: list[tuple[Element, Element]] = [(source, target)]
    while waiting:
        old, new = waiting.pop()
        for link in space.touching([old.id]):
            if link.is_gone:
                continue
            subject = new.id if link.subject == old.id else link.subject
            object = new.id if link.object == old.id else link.object
            twin = space.link_at(subject, link.predicate, object)
            if subject == object:
                space.remove(link, Act.MERGE)
                dropped += 1 + space.remove_links([link.id])
            elif twin is not None:
                _fill_link(space, link, twin)
                space.remove(link, Act.MERGE)
                dropped += 1
                waiting.append((link, twin))
            else:
                space.repoint(link, subject, object)
                repointed += 1
    return repointed, dropped


def _fill_link(space: Workspace, link: Link, twin: Link) -> None:
    metadata = {key: value for key, value in link.metadata.items() if not key.startswith("_")}
    space.write(twin, link.attributes | twin.attributes, metadata | twin.metadata, Act.MERGE)


def _take_attributes(space: Workspace, source: Concept, target: Concept) -> int:
    """Fill what the target lacks, and add the source's names and trail; how many attributes that changed."""
    missing = {key: value for key, value in source.attributes.items() if key not in target.attributes}
    missing.pop("aliases", None)
    before = _array(target.attributes.get("aliases"))
    aliases = _union(before, [*_array(source.attributes.get("aliases")), source.name])
    trail = _union(
        _array(target.metadata.get(_TRAIL)),
        [*_array(source.metadata.get(_TRAIL)), f"{source.type}:{source.name}"],
    )
    has_more = len(aliases) > len(before)
    attributes = target.attributes | missing | ({"aliases": aliases} if has_more else {})
    space.write(target, attributes, target.metadata | {_TRAIL: trail}, Act.MERGE)
    return len(missing) + has_more


def _array(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _union(held: list[Json], more: list[Json]) -> list[Json]:
    found = list(held)
    for item in more:
        if not any(same(item, known) for known in found):
            found.append(item)
    return found


def _take_sources(source: int, target: int) -> None:
    """Give what the layers hold of one node to another: the lines and facts it rests on, and what it replaced."""
    for statement in _TAKEN:
        run_sql(statement, {"source": source, "target": target})


_TAKE_LINES = (
    "update node_source r set node = %(target)s where r.node = %(source)s and not exists (select 1 from node_source o"
    " where o.node = %(target)s and (o.session, o.first, o.last) = (r.session, r.first, r.last))"
)
_TAKE_FACTS = (
    "update node_fact r set node = %(target)s where r.node = %(source)s and not exists (select 1 from node_fact o"
    " where o.node = %(target)s and o.fact = r.fact)"
)
_TAKEN = (
    _TAKE_LINES,
    _TAKE_FACTS,
    "update node set merged_into = %(target)s where merged_into = %(source)s",
    "update node set superseded_by = %(target)s where superseded_by = %(source)s",
)
