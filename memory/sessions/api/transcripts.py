"""Transcripts over REST."""

from typing import Annotated, Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import validated
from memory.facts.asking import ScopeQuery
from memory.sessions.api.answers import TranscriptAnswer
from memory.sessions.jobs import find_import, outcome_of
from memory.sessions.models import TranscriptImport
from memory.sessions.uploading import take_transcript
from spaces.rest import SpaceView

_FILENAME = "X-Filename"
_Name = Annotated[str, Field(max_length=500, description="The file's name, by which faults are reported.")]


class TranscriptQuery(ScopeQuery):
    """The query string of an import."""

    name: _Name | None = None


class TranscriptsView(SpaceView):
    """Import of transcripts."""

    rules: ClassVar[dict[str, str]] = {"POST": "sessions:write"}

    @extend_schema(
        operation_id="transcripts_import",
        parameters=[
            *query_parameters(TranscriptQuery),
            OpenApiParameter(_FILENAME, str, OpenApiParameter.HEADER, description="The same as `name`."),
        ],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={
            200: TranscriptAnswer,
            202: TranscriptAnswer,
            (400, "application/problem+json"): Problem,
            (413, "application/problem+json"): Problem,
        },
    )
    def post(self, request: Request, space: str) -> Response:
        """Import a transcript, or a ZIP archive of several, sent as it is. A second import of the same adds nothing.

        Taken: Claude Code and Codex sessions, ChatGPT's `conversations.json`, JSON Lines; told apart by content. A file
        of more than 2 MB is answered 202 and worked through in the background.
        """
        given = parsed_query(TranscriptQuery, request.query_params)
        stated = {"name": given.name or request.headers.get(_FILENAME) or "transcript"}
        name = validated(TranscriptQuery, stated).name or ""
        binding = self.bound(writing=True)
        taken = take_transcript(binding, request._request.read, name)
        if isinstance(taken, TranscriptImport):
            return Response(shown(taken), status=202)
        return Response({"status": TranscriptImport.State.DONE, **taken.document()})


class OneTranscriptView(SpaceView):
    """The import of a large transcript."""

    rules: ClassVar[dict[str, str]] = {"GET": "sessions:read"}

    @extend_schema(
        operation_id="transcripts_read",
        parameters=query_parameters(ScopeQuery),
        responses={200: TranscriptAnswer, (404, "application/problem+json"): Problem},
    )
    def get(self, request: Request, space: str, transcript_id: str) -> Response:
        """How far the import has come, and what became of the transcript."""
        parsed_query(ScopeQuery, request.query_params)
        return Response(shown(find_import(self.bound(), transcript_id)))


def shown(job: TranscriptImport) -> dict[str, Any]:
    """An import as REST shows it."""
    about = {"id": str(job.pk), "status": job.state, "name": job.name, "size": job.size, "read": job.bytes_done}
    reason = {"reason": job.reason} if job.reason else {}
    return about | reason | outcome_of(job).document()
