"""Errors as pages: what happened, then what to do."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from common.errors import KndlError, SpaceUnavailable
from common.rest.problem import document
from common.rest.rendering import JSONRenderer

_OWN_TEMPLATE = {400: "400", 403: "403", 404: "404", 405: "405", 500: "500", 503: "503"}


def error_page(request: HttpRequest, error: KndlError) -> HttpResponse:
    """The page of an error, or its problem document for a caller of the API."""
    if request.path.startswith("/api/"):
        body = JSONRenderer().render(document(error))
        return HttpResponse(body, status=error.status, content_type="application/problem+json")
    name = "space_unavailable" if isinstance(error, SpaceUnavailable) else _OWN_TEMPLATE.get(error.status, "400")
    response = render(request, f"errors/{name}.html", {"error": error}, status=error.status)
    if error.status == 503:
        response["Retry-After"] = "5"
    return response


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, _of(400, "The request is not one that Kndl can read."))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, _of(403, "You may not do this."))


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, _of(404, "There is nothing here."))


def csrf_refused(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that was not ours, or one that stood open while its session ended."""
    return error_page(request, _of(403, "The form was not accepted. Load the page again and send it once more."))


def unexpected(request: HttpRequest) -> HttpResponse:
    return error_page(request, _of(500, "Something went wrong here."))


def _of(status: int, detail: str) -> KndlError:
    kinds = {kind.status: kind for kind in KndlError.__subclasses__()}
    return kinds.get(status, KndlError)(detail)
