"""Facts over REST. These views translate; what may be asked and how it is answered is said in reading and writing."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.errors import Invalid
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import validated
from common.times import format_instant
from memory.facts.api.answers import FactAnswer, FactList, ImportAnswer
from memory.facts.asking import FactListQuery, InstantQuery, ScopeQuery, continued, cursor_of
from memory.facts.exporting import exported
from memory.facts.importing import Outcome, import_facts, write_facts
from memory.facts.reading import find_fact, own_fact, query_facts
from memory.facts.rules.document import FactInput
from memory.facts.rules.record import FactRecord
from memory.facts.views import FactView
from memory.facts.writing import supersede_fact, warnings_for, write_fact
from memory.phi.withholding import WithheldFact, withheld_from
from spaces.access import Binding
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY

NDJSON = "application/x-ndjson"
LONGEST_LINE = 1024 * 1024


class ImportQuery(ScopeQuery):
    """The query string of an import."""

    as_scope: Annotated[bool, Field(description="Take facts of another tenant as the scope's own.")] = False


class FactsView(SpaceView):
    """The facts of a scope."""

    rules: ClassVar[dict[str, str]] = {"GET": "facts:read", "POST": "facts:write"}

    @extend_schema(
        operation_id="facts_list",
        parameters=query_parameters(FactListQuery),
        responses={200: FactList, (400, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str) -> Response:
        """Facts as they were known at `as_of` and stood at `valid_at`."""
        given = parsed_query(FactListQuery, request.query_params)
        binding = self.bound()
        query, after = continued(given)
        page = query_facts(binding, query, after)
        found: dict[str, Any] = {
            "as_of": format_instant(page.as_of),
            "valid_at": format_instant(page.valid_at),
            "count": len(page.facts),
            "facts": [shown(binding, view) for view in page.facts],
            "next": cursor_of(given, query, page.as_of, page.valid_at, page.next_key) if page.next_key else None,
        }
        if binding.sees_redactions:
            found["withheld"] = [_withheld(binding, fact) for fact in withheld_from(binding, query, page)]
        return Response(found)

    @extend_schema(
        operation_id="facts_write",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=FactInput,
        responses={201: FactAnswer, (400, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """Write one fact."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(FactInput, self.body())
        binding = self.bound(writing=True, tenant=given.tenant)
        return written(self, binding, lambda act: write_fact(act, binding, given))


class OneFactView(SpaceView):
    """One fact."""

    rules: ClassVar[dict[str, str]] = {"GET": "facts:read"}

    @extend_schema(
        operation_id="facts_read",
        parameters=query_parameters(InstantQuery),
        responses={200: FactAnswer, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, fact_id: str) -> Response:
        """One fact, superseded or expired as it may be."""
        given = parsed_query(InstantQuery, request.query_params)
        binding = self.bound()
        view = find_fact(binding, fact_id, as_of=given.as_of, valid_at=given.valid_at)
        return Response(shown(binding, view))


class SupersedeView(SpaceView):
    """Putting a fact in another's place."""

    rules: ClassVar[dict[str, str]] = {"POST": "facts:write"}

    @extend_schema(
        operation_id="facts_supersede",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=FactInput,
        responses={201: FactAnswer, (409, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, fact_id: str) -> Response:
        """Write a fact that supersedes this one. A fact is superseded once; later ones are told the winner."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(FactInput, self.body())
        binding = self.bound(writing=True, tenant=given.tenant)
        return written(self, binding, lambda act: supersede_fact(act, binding, fact_id, given))


class _LinesView(SpaceView):
    def lines(self) -> Iterator[bytes]:
        """The body's lines, as a stream; the rest of an overlong line is read and thrown away."""
        kind = (self.request.content_type or "").split(";")[0].strip()
        if kind != NDJSON:
            raise Invalid(f"Send JSON Lines: Content-Type: {NDJSON}.", field="Content-Type")
        request = self.request._request
        while line := request.readline(LONGEST_LINE):
            yield line
            while len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                line = request.readline(LONGEST_LINE)


class BulkView(_LinesView):
    """Many live writes."""

    rules: ClassVar[dict[str, str]] = {"POST": "facts:write"}

    @extend_schema(
        operation_id="facts_bulk",
        parameters=query_parameters(ScopeQuery),
        request={NDJSON: OpenApiTypes.BINARY},
        responses={200: ImportAnswer, (400, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """Write one fact a line; a line that is refused does not stop the others."""
        parsed_query(ScopeQuery, request.query_params)
        return _outcome(write_facts(self.bound(writing=True), self.lines()))


class ImportView(_LinesView):
    """Import of a memory folder."""

    rules: ClassVar[dict[str, str]] = {"POST": "facts:import"}

    @extend_schema(
        operation_id="facts_import",
        parameters=query_parameters(ImportQuery),
        request={NDJSON: OpenApiTypes.BINARY},
        responses={200: ImportAnswer, (400, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """Import one fact a line, with its own id and `recordedAt`. A second import of the same changes nothing."""
        given = parsed_query(ImportQuery, request.query_params)
        return _outcome(import_facts(self.bound(writing=True), self.lines(), as_scope=given.as_scope))


class ExportView(SpaceView):
    """Export of a scope."""

    rules: ClassVar[dict[str, str]] = {"GET": "facts:read"}

    @extend_schema(
        operation_id="facts_export",
        parameters=query_parameters(ScopeQuery),
        responses={(200, NDJSON): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, space: str) -> StreamingHttpResponse:
        """All facts of the scope as JSON Lines, each with `kndl:file`, the name of its file in a memory folder."""
        parsed_query(ScopeQuery, request.query_params)
        lines = exported(self.bound(), asynchronous=isinstance(request._request, ASGIRequest))
        response = StreamingHttpResponse(lines, content_type=NDJSON)
        response["Content-Disposition"] = f'attachment; filename="{self.space.slug}.facts.jsonl"'
        return response


def shown(binding: Binding, view: FactView) -> dict[str, Any]:
    """A fact as REST shows it, with the scope it was read from."""
    scope = next(scope for scope in binding.scopes if scope.pk == view.scope)
    return view.document(scope=scope.name, shared=scope.shared)


def _withheld(binding: Binding, fact: WithheldFact) -> dict[str, Any]:
    return {
        "classification": fact.classification,
        "subject": fact.subject,
        "consent": fact.consent,
        "scope": binding.names[fact.scope],
    }


def written(view: SpaceView, binding: Binding, write: Any, *, stated: bool = True) -> Response:
    """Do the write once and show the fact it made, with what its writer should think about again.

    `stated`: the request said itself what the fact says. If it did not, the answer goes through the gate like any read,
    as it must when the request is repeated after a consent was withdrawn.
    """
    warnings: list[str] = []

    def made(act: Act) -> str:
        record: FactRecord = write(act)
        warnings.extend(warnings_for(binding, record))
        return record.id

    def show(fact_id: str) -> dict[str, Any]:
        found = shown(binding, own_fact(binding, fact_id) if stated else find_fact(binding, fact_id))
        return found | {"warnings": warnings} if warnings else found

    return view.once(201, made, show)


def _outcome(outcome: Outcome) -> Response:
    return Response(outcome.document())
