"""The one way to change a graph by KIP."""

from audit.recording import Act
from memory.kip.changing.checking import check
from memory.kip.changing.deleting import delete_concepts, delete_links
from memory.kip.changing.merging import merge
from memory.kip.changing.storing import store
from memory.kip.changing.updating import delete_keys, update
from memory.kip.changing.upserting import Upserting
from memory.kip.changing.workspace import Workspace
from memory.kip.graph import Graph
from memory.kip.language.tree import (
    DeleteConcepts,
    DeleteKeys,
    DeleteLinks,
    Json,
    Merge,
    Text,
    Update,
    Upsert,
)


def apply(act: Act, graph: Graph, text: Text) -> dict[str, Json]:
    """Execute a KML text in the transaction `act` and return its result; the caller puts it on record there.

    Raises KipError, and the caller rolls back: nothing of a refused text stays.
    """
    assert act.using, "a text changes a graph inside a transaction"
    check(text)
    space = Workspace(graph)
    result = _executed(space, text)
    store(space)
    return result


def _executed(space: Workspace, text: Text) -> dict[str, Json]:
    upserts = tuple(statement for statement in text.statements if isinstance(statement, Upsert))
    if upserts:
        return Upserting(space).run(upserts)
    (statement,) = text.statements
    if isinstance(statement, Update):
        return update(space, statement)
    if isinstance(statement, DeleteKeys):
        return delete_keys(space, statement)
    if isinstance(statement, DeleteLinks):
        return delete_links(space, statement)
    if isinstance(statement, DeleteConcepts):
        return delete_concepts(space, statement)
    if isinstance(statement, Merge):
        return merge(space, statement)
    raise TypeError(f"{type(statement).__name__} changes nothing")
