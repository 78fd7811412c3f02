"""Facts over REST. These views translate; what may be asked and how it is answered is said in reading and writing."""

import hashlib
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common import cursor, jsonio
from common.errors import Invalid
from common.rest.query import QueryModel, parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import Instant, validated
from common.times import format_instant, parse_instant
from memory.facts.answers import FactAnswer, FactList, ImportAnswer
from memory.facts.confidence import Band
from memory.facts.document import Classification, FactInput
from memory.facts.exporting import exported_lines
from memory.facts.importing import Outcome, import_facts, write_facts
from memory.facts.reading import FactQuery, FactView, Key, Order, find_fact, query_facts, query_key
from memory.facts.record import FactRecord
from memory.facts.writing import supersede_fact, warnings_for, write_fact
from spaces.access import Binding
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY

MOST_ROWS = 1_000
NDJSON = "application/x-ndjson"
LONGEST_LINE = 1024 * 1024
_CURSOR = frozenset({"order", "as_of", "valid_at", "of", "key"})


class ScopeQuery(QueryModel):
    """What every route of memory takes."""

    scope: Annotated[str, Field(description="The scope's name, or * for all the caller may see.")] | None = None
    tenant: Annotated[str, Field(description="The same as `scope`.")] | None = None
    purpose: Annotated[str, Field(description="What the reader acts for; PHI is released by purpose.")] | None = None


class InstantQuery(ScopeQuery):
    """The two axes of time."""

    as_of: Annotated[Instant, Field(description="When it was known; now, if left out.")] | None = None
    valid_at: Annotated[Instant, Field(description="When it was true; `as_of`, if left out.")] | None = None


class FactListQuery(InstantQuery):
    """The query string of the list."""

    subject: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    predicate: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    text: Annotated[str, Field(min_length=1, max_length=1_000, description="All of these words.")] | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1, description="Least effective confidence.")] | None = None
    band: Band | None = None
    classification: Classification | None = None
    include_superseded: bool = False
    include_expired: bool = False
    order: Order | None = None
    limit: Annotated[int, Field(ge=1, description=f"Rows a page, {MOST_ROWS:,} at most.")] = 50
    cursor: Annotated[str, Field(description="`next` of the page before.")] | None = None


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
        query, after = _continued(given)
        page = query_facts(binding, query, after)
        return Response(
            {
                "as_of": format_instant(page.as_of),
                "valid_at": format_instant(page.valid_at),
                "count": len(page.facts),
                "facts": [shown(binding, view) for view in page.facts],
                "next": _cursor(query, page.as_of, page.valid_at, page.next_key) if page.next_key else None,
            }
        )

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
        return _written(self, binding, lambda act: write_fact(act, binding, given))


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
        return _written(self, binding, lambda act: supersede_fact(act, binding, fact_id, given))


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
        response = StreamingHttpResponse(exported_lines(self.bound()), content_type=NDJSON)
        response["Content-Disposition"] = f'attachment; filename="{self.space.slug}.facts.jsonl"'
        return response


def shown(binding: Binding, view: FactView) -> dict[str, Any]:
    """A fact as REST shows it, with the scope it was read from."""
    scope = next(scope for scope in binding.scopes if scope.pk == view.scope)
    return view.document(scope=scope.name, shared=scope.shared)


def _written(view: SpaceView, binding: Binding, write: Any) -> Response:
    """Do the write once and show the fact it made, with what its writer should think about again."""
    warnings: list[str] = []

    def made(act: Act) -> str:
        record: FactRecord = write(act)
        warnings.extend(warnings_for(binding, record))
        return record.id

    def show(fact_id: str) -> dict[str, Any]:
        found = shown(binding, find_fact(binding, fact_id))
        return found | {"warnings": warnings} if warnings else found

    return view.once(201, made, show)


def _outcome(outcome: Outcome) -> Response:
    return Response(outcome.document())


def _continued(given: FactListQuery) -> tuple[FactQuery, Key | None]:
    """The query, and where its page begins; a cursor carries the instants and the order it was made for."""
    names = given.model_fields_set - {"cursor", "purpose", "scope", "tenant", "limit"}
    query = FactQuery(**{name: getattr(given, name) for name in names}, limit=min(given.limit, MOST_ROWS))
    if given.cursor is None:
        return query, None
    position = cursor.decode(given.cursor, expect=_CURSOR)
    if position["of"] != _fingerprint(query) or position["order"] != query.chosen_order():
        raise Invalid("belongs to another query", field="cursor")
    try:
        instants = {name: parse_instant(position[name]) for name in ("as_of", "valid_at")}
        key = query_key(query.chosen_order(), position["key"])
    except (TypeError, ValueError) as error:
        raise Invalid("is not a cursor of this list", field="cursor") from error
    return FactQuery(**{**vars(query), **instants}), key


def _cursor(query: FactQuery, as_of: Any, valid_at: Any, key: Key) -> str:
    return cursor.encode(
        {
            "order": query.chosen_order(),
            "as_of": format_instant(as_of),
            "valid_at": format_instant(valid_at),
            "of": _fingerprint(query),
            "key": list(key),
        }
    )


def _fingerprint(query: FactQuery) -> str:
    """What a cursor belongs to: the filters, without the instants it carries itself and the size of a page."""
    filters = {name: value for name, value in vars(query).items() if name not in {"as_of", "valid_at", "limit", "order"}}
    return hashlib.sha256(jsonio.dumps(filters).encode()).hexdigest()[:16]
