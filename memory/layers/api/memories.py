"""Memories over REST: lists, one with everything, lineage both ways."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.times import format_instant, now
from memory.facts.asking import ScopeQuery
from memory.layers.api.answers import BecameAnswer, BranchAnswer, MemoryList, WholeMemoryAnswer
from memory.layers.api.asking import MemoryListQuery, MemoryReadQuery, continued, cursor_of, number_of, session_of
from memory.layers.api.documents import branch_document, memory_document, whole_document
from memory.layers.lineage import became, lineage
from memory.layers.reading import find_memory, query_memories
from spaces.rest import SpaceView


class MemoriesView(SpaceView):
    """The memories of a scope."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(
        operation_id="memories_list",
        parameters=query_parameters(MemoryListQuery),
        responses={200: MemoryList, (400, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str) -> Response:
        """Fragments, events and concepts with their strength; archived ones only when they are asked for."""
        given = parsed_query(MemoryListQuery, request.query_params)
        binding = self.bound()
        query, after, begun = continued(given)
        page = query_memories(binding, query, after, at=begun.at if begun else None)
        return Response(
            {
                "at": format_instant(page.at),
                "count": len(page.memories),
                "memories": [memory_document(binding, memory) for memory in page.memories],
                "next": cursor_of(given, page),
            }
        )


class OneMemoryView(SpaceView):
    """One memory."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(
        operation_id="memories_read",
        parameters=query_parameters(MemoryReadQuery),
        responses={200: WholeMemoryAnswer, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, memory_id: str) -> Response:
        """One memory with its links, facts, history and curve, and when it will fade."""
        given = parsed_query(MemoryReadQuery, request.query_params)
        binding = self.bound()
        at = given.as_of or now()
        memory = find_memory(binding, number_of(memory_id, "memory"), at=at, as_of=given.as_of)
        return Response(whole_document(binding, memory, at, given.tau))


class LineageView(SpaceView):
    """Where a memory comes from."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(
        operation_id="memories_lineage",
        parameters=query_parameters(ScopeQuery),
        responses={200: BranchAnswer, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, memory_id: str) -> Response:
        """From a memory down to the lines it rests on, with each reinforcement."""
        parsed_query(ScopeQuery, request.query_params)
        return Response(branch_document(lineage(self.bound(), number_of(memory_id, "memory"))))


class LineMemoriesView(SpaceView):
    """What a line became."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(
        operation_id="memories_of_line",
        parameters=query_parameters(ScopeQuery),
        responses={200: BecameAnswer, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, session_id: str, index: str) -> Response:
        """From a line up: the memories that rest on it, what they hang under, the facts made of them."""
        parsed_query(ScopeQuery, request.query_params)
        binding = self.bound()
        session, line = session_of(session_id), number_of(index, "line", most=2**31 - 1)
        found = became(binding, session, line)
        return Response(
            {
                "session": str(session),
                "index": line,
                "fragments": [memory_document(binding, memory) for memory in found.fragments],
                "events": [memory_document(binding, memory) for memory in found.events],
                "concepts": [memory_document(binding, memory) for memory in found.concepts],
                "facts": found.facts,
                "forgotten": found.forgotten,
            }
        )
