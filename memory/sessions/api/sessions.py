"""Sessions and their lines over REST."""

from typing import Annotated, Any, ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from common import cursor
from common.errors import NotFound
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import StrictModel, VisibleText, validated
from common.times import format_instant
from memory.facts.asking import ScopeQuery
from memory.sessions.api.answers import AppendAnswer, LineList, RevealAnswer, SessionAnswer, SessionList
from memory.sessions.exporting import exported_archive, exported_session
from memory.sessions.models import Session
from memory.sessions.opening import OpenLine
from memory.sessions.reading import (
    MOST_LINES,
    MOST_SESSIONS,
    WithheldSession,
    find_session,
    list_sessions,
    read_lines,
    withheld_sessions,
)
from memory.sessions.revealing import reveal_line
from memory.sessions.rules.document import LAST_INDEX, LinesInput, SessionInput
from memory.sessions.writing import append_lines, open_session
from spaces.access import Binding
from spaces.databases.transactions import attempted, memory_transaction
from spaces.rest import SpaceView

JSON_LINES, ZIP = "application/x-ndjson", "application/zip"


class SessionListQuery(ScopeQuery):
    """The query string of the list of sessions."""

    limit: Annotated[int, Field(ge=1, description=f"Sessions a page, {MOST_SESSIONS} at most.")] = 50
    cursor: Annotated[str, Field(description="`next` of the page before.")] | None = None


class LinesQuery(ScopeQuery):
    """The query string of a session's lines."""

    from_index: Annotated[int, Field(ge=0, le=LAST_INDEX, description="The first line to read.")] = 0
    limit: Annotated[int, Field(ge=1, description=f"Lines a page, {MOST_LINES:,} at most.")] = 200


class RevealInput(StrictModel):
    """Why a secret must be seen."""

    reason: Annotated[str, VisibleText(3, 2_000)]


class SessionsView(SpaceView):
    """The sessions of a scope."""

    rules: ClassVar[dict[str, str]] = {"GET": "sessions:read", "POST": "sessions:write"}

    @extend_schema(
        operation_id="sessions_list",
        parameters=query_parameters(SessionListQuery),
        responses={200: SessionList, (400, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str) -> Response:
        """Sessions, the newest activity first."""
        given = parsed_query(SessionListQuery, request.query_params)
        binding = self.bound()
        after = None
        if given.cursor is not None:
            after = cursor.decode(given.cursor, expect={"at", "id", "of"})
        page = list_sessions(binding, limit=min(given.limit, MOST_SESSIONS), after=after)
        found: dict[str, Any] = {
            "count": len(page.sessions),
            "sessions": [shown(binding, session) for session in page.sessions],
            "next": cursor.encode(page.next_position | {"of": "sessions"}) if page.next_position else None,
        }
        if binding.sees_redactions:
            at_the_end = page.next_position is None
            found["withheld"] = [_withheld(binding, item) for item in withheld_sessions(binding)] if at_the_end else []
        return Response(found)

    @extend_schema(
        operation_id="sessions_open",
        parameters=query_parameters(ScopeQuery),
        request=SessionInput,
        responses={
            200: SessionAnswer,
            201: SessionAnswer,
            (400, "application/problem+json"): Problem,
            (409, "application/problem+json"): Problem,
            (422, "application/problem+json"): Problem,
        },
    )
    def post(self, request: Request, space: str) -> Response:
        """Open a session, or find the one that was opened under this client id before."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(SessionInput, self.body()).require_consistent()
        binding = self.bound(writing=True)
        session, made = attempted(lambda act: open_session(act, binding, given))
        return Response(shown(binding, session), status=201 if made else 200)


class OneSessionView(SpaceView):
    """One session."""

    rules: ClassVar[dict[str, str]] = {"GET": "sessions:read"}

    @extend_schema(
        operation_id="sessions_read",
        parameters=query_parameters(ScopeQuery),
        responses={200: SessionAnswer, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, session_id: str) -> Response:
        """One session, without its lines."""
        parsed_query(ScopeQuery, request.query_params)
        binding = self.bound()
        return Response(shown(binding, find_session(binding, session_id)))


class LinesView(SpaceView):
    """The lines of a session."""

    rules: ClassVar[dict[str, str]] = {"GET": "sessions:read", "POST": "sessions:write"}

    @extend_schema(
        operation_id="sessions_lines",
        parameters=query_parameters(LinesQuery),
        responses={200: LineList, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, session_id: str) -> Response:
        """Lines, their secrets masked."""
        given = parsed_query(LinesQuery, request.query_params)
        page = read_lines(self.bound(), session_id, first=given.from_index, limit=min(given.limit, MOST_LINES))
        return Response({"lines": [shown_line(line) for line in page.lines], "next": page.next_index})

    @extend_schema(
        operation_id="sessions_append",
        parameters=query_parameters(ScopeQuery),
        request=LinesInput,
        responses={
            200: AppendAnswer,
            (400, "application/problem+json"): Problem,
            (404, "application/problem+json"): Problem,
            (409, "application/problem+json"): Problem,
        },
    )
    def post(self, request: Request, space: str, session_id: str) -> Response:
        """Append lines. Those the session holds already may be sent again: they change nothing."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(LinesInput, self.body())
        binding = self.bound(writing=True)
        appended = attempted(lambda act: append_lines(act, binding, session_id, given))
        return Response(
            {"next_index": appended.next_index, "accepted": appended.accepted, "masked": dict(appended.masked)}
        )


class RevealView(SpaceView):
    """What is masked in a line."""

    rules: ClassVar[dict[str, str]] = {"POST": "sessions:read"}

    @extend_schema(
        operation_id="sessions_reveal",
        parameters=query_parameters(ScopeQuery),
        request=RevealInput,
        responses={200: RevealAnswer, (404, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, session_id: str, index: str) -> Response:
        """A line as it was said, for a stated reason: to whose scope it is, and to owners and admins of the Space."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(RevealInput, self.body())
        binding = self.bound()
        number = _index(index)
        with memory_transaction() as act:
            said = reveal_line(act, binding, session_id, number, given.reason)
        return Response({"index": number, "speaker": said.speaker, "text": said.text, "more": said.more})


class ExportSessionView(SpaceView):
    """A session as a file."""

    rules: ClassVar[dict[str, str]] = {"GET": "sessions:read"}

    @extend_schema(
        operation_id="sessions_export",
        parameters=query_parameters(ScopeQuery),
        responses={(200, JSON_LINES): OpenApiTypes.BINARY, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, session_id: str) -> StreamingHttpResponse:
        """The session's lines as JSON Lines, their secrets masked; a file that an import takes."""
        parsed_query(ScopeQuery, request.query_params)
        name, pieces = exported_session(self.bound(), session_id)
        return _attachment(pieces, JSON_LINES, name)


class ExportSessionsView(SpaceView):
    """All sessions as files."""

    rules: ClassVar[dict[str, str]] = {"GET": "sessions:read"}

    @extend_schema(
        operation_id="sessions_export_all",
        parameters=query_parameters(ScopeQuery),
        responses={(200, ZIP): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, space: str) -> StreamingHttpResponse:
        """A ZIP archive with a file of JSON Lines for each session of the scope."""
        parsed_query(ScopeQuery, request.query_params)
        return _attachment(exported_archive(self.bound()), ZIP, f"{self.space.slug}.sessions.zip")


def shown(binding: Binding, session: Session) -> dict[str, Any]:
    """A session as REST shows it, with the scope it was read from."""
    scope = next(scope for scope in binding.scopes if scope.pk == session.scope)
    return {
        "id": str(session.pk),
        "client_id": session.client_id,
        "title": session.title,
        "scope": scope.name,
        "shared": scope.shared,
        "origin": session.origin,
        "started_at": format_instant(session.started_at),
        "opened_at": format_instant(session.opened_at),
        "line_count": session.line_count,
        "next_index": session.line_count,
        "distilled_until": session.distilled_until,
        "last_line_at": format_instant(session.last_line_at) if session.last_line_at else None,
        "last_said_at": format_instant(session.last_said_at) if session.last_said_at else None,
        "classification": session.classification,
        "consent": session.consent,
    }


def shown_line(line: OpenLine) -> dict[str, Any]:
    """A line as REST shows it."""
    said = {"index": line.index, "role": line.role, "speaker": line.speaker, "text": line.text}
    more = {"more": line.more} if line.more else {}
    return said | {"at": format_instant(line.at)} | more


def _withheld(binding: Binding, item: WithheldSession) -> dict[str, Any]:
    return {
        "classification": "PHI",
        "subject": item.subject,
        "consent": item.consent,
        "scope": binding.names[item.scope],
        "line_count": item.line_count,
    }


def _index(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < len(str(LAST_INDEX))):
        raise NotFound("There is no such session.")
    return int(text)


def _attachment(pieces: Any, kind: str, name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(pieces, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response
