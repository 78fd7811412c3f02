"""CONTEXT and its history."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import validated
from domains import reading
from domains.api.answers import ContextAnswer, OneRevisionAnswer, RevisionList, context_shown, revision_shown
from domains.api.asking import ContextInput, NoQuery, PageQuery, cursor_at, place_of
from domains.api.base import IF_MATCH, PROBLEM, DomainView
from domains.holding import held
from domains.models import Source
from domains.rewriting import write_context
from spaces.rest_schema import IDEMPOTENCY_KEY


class ContextView(DomainView):
    """CONTEXT."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look", "PUT": "domains:look"}

    @extend_schema(operation_id="domain_context_read", responses={200: ContextAnswer, (404, PROBLEM): Problem})
    def get(self, request: Request, domain: str) -> Response:
        """CONTEXT as it is now; the ETag is for If-Match."""
        parsed_query(NoQuery, request.query_params)
        return _tagged(Response(context_shown(reading.context_of(self.found(domain).domain))))

    @extend_schema(
        operation_id="domain_context_rewrite",
        parameters=[IF_MATCH, IDEMPOTENCY_KEY],
        request=ContextInput,
        responses={200: ContextAnswer, **{(code, PROBLEM): Problem for code in (400, 403, 404, 409, 412, 413)}},
    )
    def put(self, request: Request, domain: str) -> Response:
        """Rewrite it. A stale base gets 412 with the current text and what changed since."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        standing.require_writing()
        base, given = self.base_revision(), validated(ContextInput, self.body())

        def write(act: Act) -> str:
            made = write_context(
                act,
                standing,
                text=given.text,
                base=base,
                source=Source.API,
                note=given.note,
                confirmed=given.confirm,
            )
            return str(made.number)

        with held(standing.domain):
            answer = self.once(
                200, write, lambda number: context_shown(reading.find_revision(standing.domain, int(number)))
            )
        return _tagged(answer)


class RevisionsView(DomainView):
    """The history of CONTEXT."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look"}

    @extend_schema(
        operation_id="domain_context_revisions",
        parameters=query_parameters(PageQuery),
        responses={200: RevisionList, (404, PROBLEM): Problem},
    )
    def get(self, request: Request, domain: str) -> Response:
        """Revisions, the newest first."""
        given = parsed_query(PageQuery, request.query_params)
        found = self.found(domain).domain
        before = place_of(given, "revisions", str(found.pk))
        rows = list(reading.revisions_of(found, before=before)[: given.limit + 1])
        page, more = rows[: given.limit], len(rows) > given.limit
        authors = reading.authors_of(page)
        shown = [revision_shown(row, authors[f"{row.actor_kind}:{row.actor_id}"]) for row in page]
        next_page = cursor_at("revisions", str(found.pk), page[-1].number if more else None)
        return Response({"revisions": shown, "next": next_page})


class OneRevisionView(DomainView):
    """One revision of CONTEXT."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look"}

    @extend_schema(operation_id="domain_context_revision", responses={200: OneRevisionAnswer, (404, PROBLEM): Problem})
    def get(self, request: Request, domain: str, number: int) -> Response:
        """A revision with its text and what it changed."""
        parsed_query(NoQuery, request.query_params)
        row = reading.find_revision(self.found(domain).domain, number)
        shown = revision_shown(row, reading.author_of(row))
        return Response(shown | {"text": row.text, "diff": reading.difference_of(row)})


def _tagged(response: Response) -> Response:
    response["ETag"] = f'"{response.data["revision"]}"'
    return response
