"""LOG: reading, following and adding to it."""

import time
from typing import Any, ClassVar

from django.db import connections
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.errors import Invalid
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import validated
from domains import reading
from domains.api.answers import LineAnswer, LineList, line_shown
from domains.api.asking import LineInput, LogListQuery, NoQuery, cursor_at, place_of
from domains.api.base import PROBLEM, DomainView
from domains.appending import append_line
from domains.holding import held
from domains.models import Domain, LogLine, Source
from spaces.rest_schema import IDEMPOTENCY_KEY

_POLL = 0.5  # seconds


class LogView(DomainView):
    """LOG."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look", "POST": "domains:look"}

    @extend_schema(
        operation_id="domain_log_read",
        parameters=query_parameters(LogListQuery),
        responses={200: LineList, **{(code, PROBLEM): Problem for code in (400, 404)}},
    )
    def get(self, request: Request, domain: str) -> Response:
        """Lines in their order. To follow live: `?after=<last>&wait=30`, again and again."""
        given = parsed_query(LogListQuery, request.query_params)
        found = self.found(domain).domain
        place = place_of(given, "log", str(found.pk))
        asked = reading.LogQuery(given.project or "", given.begin, given.end, given.after if place is None else place)
        if given.begin and given.end and given.begin > given.end:
            raise Invalid("must not lie before from", field="to")
        rows = _awaited(found, asked, given.limit + 1, given.wait)
        page, more = rows[: given.limit], len(rows) > given.limit
        authors = reading.authors_of(page)
        shown = [line_shown(row, authors[f"{row.actor_kind}:{row.actor_id}"]) for row in page]
        last = page[-1].number if page else asked.after
        return Response({"lines": shown, "last": last, "next": cursor_at("log", str(found.pk), last if more else None)})

    @extend_schema(
        operation_id="domain_log_append",
        parameters=[IDEMPOTENCY_KEY],
        request=LineInput,
        responses={201: LineAnswer, **{(code, PROBLEM): Problem for code in (400, 403, 404, 409)}},
    )
    def post(self, request: Request, domain: str) -> Response:
        """Add one change. Lines are never altered or removed."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        standing.require_writing()
        given = validated(LineInput, self.body())

        def write(act: Act) -> str:
            made = append_line(
                act, standing, change=given.change, project=given.project, day=given.date, source=Source.API
            )
            return str(made.number)

        def show(number: str) -> dict[str, Any]:
            row = LogLine.objects.get(domain=standing.domain, number=int(number))
            return line_shown(row, reading.author_of(row))

        with held(standing.domain):
            return self.once(201, write, show)


def _awaited(domain: Domain, asked: reading.LogQuery, most: int, seconds: int) -> list[LogLine]:
    """The lines that are asked for; where there is none yet, the first that come within so many seconds."""
    until = time.monotonic() + seconds
    while True:
        rows = list(reading.log_of(domain, asked)[:most])
        left = until - time.monotonic()
        if rows or left <= 0:
            return rows
        connection = connections["default"]
        if not connection.in_atomic_block:
            connection.close()  # nobody waits with a connection in hand
        time.sleep(min(_POLL, left))
