"""Errors as pages: what happened, then what to do."""

import structlog
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import get_template

from common.errors import Forbidden, Invalid, KndlError, NotFound, SpaceUnavailable
from common.rest.problem import document
from common.rest.rendering import JSONRenderer

_OWN_TEMPLATE = {400: "400", 403: "403", 404: "404", 405: "405", 503: "503"}


def error_page(request: HttpRequest, error: KndlError, template: str = "") -> HttpResponse:
    """The page of an error, or its problem document for a caller of the API."""
    if _asks_api(request):
        return _problem(error)
    name = "space_unavailable" if isinstance(error, SpaceUnavailable) else _OWN_TEMPLATE.get(error.status, "400")
    context = {"error": error, "request_id": _request_id()}
    response = render(request, template or f"errors/{name}.html", context, status=error.status)
    if error.status == 503:
        response["Retry-After"] = "5"
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django found the request unfit: a foreign Host header, too many fields, a broken upload."""
    return error_page(request, Invalid("The request is not one that Kndl can read."))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """A refusal that gives no reason of its own."""
    return error_page(request, Forbidden())


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """No page has this address."""
    return error_page(request, NotFound("There is nothing here."))


def csrf_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that was not ours, or one that stood open while its session ended."""
    refused = Forbidden("The form was not accepted. Load the page again and send it once more.")
    return error_page(request, refused, "errors/403_csrf.html")


def unexpected(request: HttpRequest) -> HttpResponse:
    """A fault of ours. Whatever failed may fail again, so the page asks nothing of the database or the session."""
    if _asks_api(request):
        said = "Something went wrong here. The log has it under this request's id."
        return _problem(KndlError(said, type="unexpected"))
    page = get_template("errors/500.html").render({"request_id": _request_id()})
    return HttpResponse(page, status=500)


def _asks_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _problem(error: KndlError) -> HttpResponse:
    body = JSONRenderer().render(document(error))
    return HttpResponse(body, status=error.status, content_type="application/problem+json")


def _request_id() -> str:
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))
