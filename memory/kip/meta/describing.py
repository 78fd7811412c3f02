"""DESCRIBE: the primer, the domains, and the definitions of types and predicates."""

from memory.kip.answering import concept_json, concept_rows
from memory.kip.graph import Graph
from memory.kip.language.errors import KipError
from memory.kip.language.tree import Describe, Json
from memory.kip.meta.primer import primer
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.ordering import Key
from memory.kip.querying.pages import page_of
from memory.kip.schema.registry import nearest
from memory.layers.elements import run_sql

_DEFINITIONS = {"CONCEPT": "$ConceptType", "PROPOSITION": "$PropositionType"}


def describe(graph: Graph, statement: Describe) -> tuple[Json, str | None]:
    """The answer, and of a long list the cursor of the next page. Raises KIP_3002 for a definition that is missing."""
    if statement.what == "PRIMER":
        return primer(graph), None
    if statement.what == "DOMAINS":
        return _nodes(graph, "Domain"), None
    definition = _DEFINITIONS[statement.what.split()[0]]
    if statement.name is None:
        return _names(graph, definition, statement)
    found = _nodes(graph, definition, statement.name)
    if not found:
        raise _missing(graph, definition, statement)
    return found[0], None


def _nodes(graph: Graph, type: str, name: str | None = None) -> list[Json]:
    compiling = Compiling(graph)
    conditions = [*compiling.node_conditions("n"), f"n.type = {compiling.value(type)}"]
    if name is not None:
        conditions.append(f"n.name = {compiling.value(name)}")
    rows = run_sql(
        f"{compiling.beginning}select n.id from node n where {' and '.join(conditions)} order by n.id limit 10000",
        compiling.values,
    )
    return [concept_json(row) for row in concept_rows(graph, [row[0] for row in rows])]


def _names(graph: Graph, definition: str, statement: Describe) -> tuple[list[str], str | None]:
    compiling = Compiling(graph)
    conditions = [*compiling.node_conditions("n"), f"n.type = {compiling.value(definition)}"]
    every = f"select n.name k0 from node n where {' and '.join(conditions)}"
    key = Key('n.name collate "C"', "text")
    found, cursor = page_of(
        compiling, every, [key], statement, limit=statement.limit, cursor=statement.cursor, shown="page.k0"
    )
    return [row[0] for row in found], cursor


def _missing(graph: Graph, definition: str, statement: Describe) -> KipError:
    registry = Compiling(graph).registry
    is_type = definition == "$ConceptType"
    known = registry.types if is_type else registry.predicates
    near = nearest(statement.name or "", known)
    meant = f"Did you mean '{near}'? " if near else ""
    listing = "DESCRIBE CONCEPT TYPES" if is_type else "DESCRIBE PROPOSITION TYPES"
    what = "type" if is_type else "predicate"
    return KipError(
        "KIP_3002",
        f'There is no {what} "{statement.name}".',
        hint=f"{meant}{listing} lists what there is.",
        at=statement.at,
    )
