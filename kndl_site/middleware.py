"""What wraps every request: its id, its log line, and errors as pages."""

import contextvars
import re
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator

import structlog
from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from common.errors import KndlError
from desk.error_pages import error_page

Handler = Callable[[HttpRequest], HttpResponseBase]
_GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")
log = structlog.get_logger()


def request_id(get_response: Handler) -> Handler:
    """Give the request an id (the caller's own, if it sent a usable one), log it, and answer with it."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        name = given if _GIVEN.fullmatch(given) else f"req-{secrets.token_hex(8)}"
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=name)
        started = time.perf_counter()
        response = get_response(request)
        response["X-Request-ID"] = name
        match = request.resolver_match
        log.info(
            "request",
            method=request.method,
            route=match.route if match else "-",
            space=(match.kwargs.get("space") if match else None) or _bound_space(),
            status=response.status_code,
            milliseconds=round((time.perf_counter() - started) * 1000, 1),
        )
        return response

    return middleware


def _bound_space() -> str:
    """The Space of a route that does not name it, such as that of the seat that asks."""
    return str(structlog.contextvars.get_contextvars().get("space", "-"))


def give_back_connections(get_response: Handler) -> Handler:
    """Give the request's connections back as soon as its answer is made: sending it may take a slow reader long."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not response.streaming:
            for connection in connections.all(initialized_only=True):
                if not connection.in_atomic_block:  # a test may have one around all
                    connection.close()
        return response

    return middleware


def in_pieces(get_response: Handler) -> Handler:
    """Under ASGI, read what a response streams (a file, say) in pieces; Django would read it all before sending."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(request, ASGIRequest) and isinstance(response, StreamingHttpResponse):
            content = response.streaming_content
            if isinstance(content, Iterator):
                response.streaming_content = _pieces(content)
        return response

    return middleware


async def _pieces(content: Iterator[bytes]) -> AsyncIterator[bytes]:
    # One context for all pieces: what the first one sets in it, the last one may want to set back.
    context = contextvars.copy_context()
    while (piece := await sync_to_async(context.run)(next, content, None)) is not None:
        yield piece


class _ErrorsAsPages:
    """Turns our errors, raised by a page, into the page that explains them; REST has its own handler."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return error_page(request, exception) if isinstance(exception, KndlError) else None


errors_as_pages = _ErrorsAsPages
