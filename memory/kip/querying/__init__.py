"""Reading a graph: FIND, EXPORT, SEARCH, DESCRIBE."""

from memory.kip.graph import Graph
from memory.kip.language.tree import Describe, Export, Find, Json, Query, Search
from memory.kip.meta.describing import describe
from memory.kip.querying.exporting import export
from memory.kip.querying.finding import find
from memory.kip.searching import search

__all__ = ["answer"]


def answer(graph: Graph, statement: Query) -> tuple[Json, str | None]:
    """The result of a query, and the cursor of the next page where there is one. Raises KipError."""
    match statement:
        case Find():
            return find(graph, statement)
        case Describe():
            return describe(graph, statement)
        case Search():
            return search(graph, statement), None
        case Export():
            return export(graph, statement)
