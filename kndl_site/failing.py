"""What is answered when something failed that nobody expected."""

import sys

import structlog
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import get_template

from common.errors import KndlError
from common.rest.problem import RETRY_AFTER_SECONDS, document, translated
from common.rest.rendering import JSONRenderer
from desk import error_pages

log = structlog.get_logger()


def unexpected(request: HttpRequest) -> HttpResponse:
    """Django's handler of status 500, called while the error is being handled: 503 when a database does not answer."""
    error = sys.exc_info()[1]
    lost = translated(error) if isinstance(error, OperationalError | InterfaceError) else None
    if lost is None:
        log.error("unexpected_error", exc_info=error)
        return error_pages.unexpected(request)
    log.warning("database_unavailable", reason=str(error).strip().partition("\n")[0])
    return _out_of_reach(request, lost)


def _out_of_reach(request: HttpRequest, error: KndlError) -> HttpResponse:
    """Made without asking the database who reads."""
    if request.path.startswith("/api/"):
        body: bytes | str = JSONRenderer().render(document(error))
        response = HttpResponse(body, status=error.status, content_type="application/problem+json")
    else:
        response = HttpResponse(get_template("errors/503.html").render({"error": error}), status=error.status)
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response
