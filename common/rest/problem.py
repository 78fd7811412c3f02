"""The one place that turns errors into answers: problem+json of RFC 9457."""

from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent
from django.db import InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from common.errors import (
    Forbidden,
    Invalid,
    KndlError,
    MethodNotAllowed,
    NotFound,
    TooLarge,
    TooMany,
    Unauthenticated,
    Unavailable,
)
from common.problem_types import title_of

TYPE = "/problems/"
RETRY_AFTER_SECONDS = 5
log = structlog.get_logger()


def document(error: KndlError) -> dict[str, Any]:
    """The problem document of an error; `errors` names the fields, `extra` adds its own members."""
    found: dict[str, Any] = {
        "type": TYPE + error.type,
        "title": title_of(error),
        "status": error.status,
        "detail": error.detail,
        "code": error.type,
    }
    if error.errors:
        found["errors"] = [{"field": item.field, "detail": item.detail} for item in error.errors]
    return found | error.extra


def translated(exception: Exception) -> KndlError | None:
    """Our error for one of Django's or REST framework's; None for what nobody expected."""
    match exception:
        case KndlError():
            return exception
        case exceptions.APIException():
            return _of_rest_framework(exception)
        case PermissionDenied():
            return Forbidden("You may not do this.")
        case Http404():
            return NotFound("There is nothing here.")
        case RequestDataTooBig():
            return TooLarge("The body is larger than this route takes.")
        case TooManyFieldsSent():
            return Invalid(str(exception))
        case OperationalError() | InterfaceError():
            return Unavailable("A database does not answer. Nothing that was acknowledged is lost; try again soon.")
    return None


def _of_rest_framework(exception: exceptions.APIException) -> KndlError:
    said = str(exception.detail)
    match exception:
        case exceptions.NotAuthenticated():
            return Unauthenticated("Send a seat's token as “Authorization: Bearer …”, or sign in.")
        case exceptions.AuthenticationFailed():
            return Unauthenticated(said)
        case exceptions.PermissionDenied():
            return Forbidden(said)
        case exceptions.NotFound():
            return NotFound("There is nothing here.")
        case exceptions.MethodNotAllowed():
            return MethodNotAllowed(said)
        case exceptions.Throttled():
            return TooMany(said)
    return Invalid(said)


def answer(exception: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's exception handler. An unexpected error stays one: it is logged and answered 500."""
    error = translated(exception)
    if error is None:
        log.error("unexpected_error", exc_info=exception)
        error = KndlError("Something went wrong here. The log has it under this request's id.", type="unexpected")
    response = Response(document(error), status=error.status, content_type="application/problem+json")
    # Nothing tells a missing thing from one that is not there for this caller.
    if error.status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="kndl"'
    if error.status == 503:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    if isinstance(exception, exceptions.Throttled) and getattr(exception, "wait", None):
        response["Retry-After"] = str(int(getattr(exception, "wait", 0)) + 1)
    if isinstance(exception, exceptions.MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response
