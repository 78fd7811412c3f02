"""UPDATE and the DELETEs of keys: each element bound to the target, worked out from the state it had before."""

from collections.abc import Mapping
from typing import Any

from memory.kip.changing.workspace import Workspace
from memory.kip.elements import Act, Concept, Element
from memory.kip.language.errors import KipError
from memory.kip.language.tree import Arithmetics, DeleteKeys, Json, Update, Variable
from memory.kip.querying.kinds import Kind
from memory.kip.querying.solutions import Relation, bound, compile_where
from memory.kip.rules.arithmetic import evaluate
from memory.kip.rules.protection import DIRECTIVES, guards_directives, is_structure, protected


def update(space: Workspace, statement: Update) -> dict[str, Json]:
    """Execute an UPDATE and return how many elements it matched and changed. Raises KipError."""
    elements = targets(space, statement.target, compile_where(space.graph, statement.where), statement.limit)
    require_open(space, elements, touches_directives=DIRECTIVES in (statement.attributes or {}), at=statement.at)
    changed = 0
    for element in elements:
        state = {
            "attributes": element.attributes,
            "metadata": element.metadata | {"_version": element.version},
        }
        attributes = element.attributes | _worked_out(statement.attributes, state)
        metadata = element.metadata | _worked_out(statement.metadata, state)
        changed += space.write(element, attributes, metadata, Act.UPDATE, at=statement.at)
    return {"updated": changed, "matched": len(elements)}


def delete_keys(space: Workspace, statement: DeleteKeys) -> dict[str, Json]:
    """Execute a DELETE of attributes or metadata. Raises KipError."""
    elements = targets(space, statement.target, compile_where(space.graph, statement.where))
    is_directives = statement.part == "attributes" and DIRECTIVES in statement.keys
    require_open(space, elements, touches_directives=is_directives, at=statement.at)
    changed = {True: 0, False: 0}
    for element in elements:
        attributes, metadata = element.attributes, element.metadata
        if statement.part == "attributes":
            attributes = _without(attributes, statement.keys)
        else:
            metadata = _without(metadata, statement.keys)
        is_concept = isinstance(element, Concept)
        changed[is_concept] += space.write(element, attributes, metadata, Act.DELETE_KEYS, at=statement.at)
    return {"updated_concepts": changed[True], "updated_propositions": changed[False]}


def targets(space: Workspace, variable: Variable, relation: Relation, limit: int | None = None) -> list[Element]:
    """The distinct elements that are bound to a variable, by number, locked. Raises KIP_3001 for an unbound one."""
    relation.column(variable)
    kind = relation.kinds[variable.name]
    if kind is Kind.PREDICATE:
        raise KipError("KIP_3001", f"?{variable.name} is a predicate's name, not an element.", at=variable.at)
    ids = bound(space.graph, relation, variable, limit=limit)
    if kind is not Kind.LINK:
        space.read_concepts(ids)
    if kind is not Kind.CONCEPT:
        space.read_links(ids)
    found: list[Element | None] = [space.concepts.get(number) or space.links.get(number) for number in ids]
    return [element for element in found if element is not None]


def require_open(space: Workspace, elements: list[Element], *, touches_directives: bool, at: int) -> None:
    """Raise KIP_3004 when there is a concept of the protected structure among them, even one that would not change."""
    if space.graph.privileged:
        return
    for element in elements:
        if not isinstance(element, Concept):
            continue
        if is_structure(element.type, element.name):
            raise protected(element.type, element.name, "nothing was written", at=at)
        if touches_directives and guards_directives(element.type, element.name):
            raise protected(element.type, element.name, "its core directives stay as they are", at=at)


def _worked_out(values: Mapping[str, Json | Arithmetics] | None, state: Mapping[str, Any]) -> dict[str, Json]:
    found = {}
    for key, value in (values or {}).items():
        result = evaluate(value, state) if isinstance(value, Arithmetics) else value
        if result is not None or not isinstance(value, Arithmetics):
            found[key] = result
    return found


def _without(values: dict[str, Json], keys: tuple[str, ...]) -> dict[str, Json]:
    return {key: value for key, value in values.items() if key not in keys}
