"""The routes of KIP: one for seats, and one in each Space."""

from contextlib import ExitStack
from typing import Any, ClassVar

from django.http import HttpRequest, JsonResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from common import jsonio
from common.errors import Invalid
from common.rest.problem import document, translated
from memory.kip.language.errors import KipError
from memory.kip.language.tree import Json
from memory.kip.seeding import ensure
from memory.kip.wire.executing import execute
from memory.kip.wire.logs import logs_page
from memory.kip.wire.requests import read_log_page, read_request
from spaces.access import Binding, Hidden, bind, visible_spaces
from spaces.databases.entering import entered
from spaces.models import Space
from spaces.recording import record_foreign
from spaces.rest import CallerView, SpaceView
from spaces.rules import require

NAME, VERSION = "Kndl", "1.0-RC11"
# How a KIP client reads the errors that come before any command.
_CODES = {400: "KIP_1001", 403: "KIP_3004", 404: "KIP_3002", 409: "KIP_3003", 413: "KIP_4002", 500: "KIP_4003"}


def name_and_version() -> dict[str, str]:
    """What a KIP client is told of this server; the version is that of the protocol."""
    return {"name": NAME, "version": VERSION}


def asks_for_name(request: HttpRequest) -> bool:
    """Whether a GET of the start page comes from a KIP client: it asks for JSON, and not for a page."""
    accepted = request.headers.get("Accept", "")
    return "application/json" in accepted and "text/html" not in accepted


def show_name(_request: HttpRequest) -> JsonResponse:
    """The answer to it."""
    return JsonResponse(name_and_version())


class _Kip(CallerView):
    """What both routes share: the shape of answers and of errors."""

    def answered(self, binding: Binding, body: Any) -> Response:
        """The answer to a request in the bound scope."""
        try:
            method, params = read_request(body)
            if method == "list_logs":
                return self.shown(200, _logs(binding, params))
            status, shown = execute(binding, params, read_only=method == "execute_kip_readonly")
        except KipError as error:
            status, shown = error.http_status, {"error": error.as_json()}
        return self.shown(status, shown)

    def shown(self, status: int, answer: dict[str, Json]) -> Response:
        """An answer with the version of the protocol."""
        return Response(answer, status=status, headers={"KIP-Version": VERSION})

    def kip_body(self) -> Any:
        """The body as JSON. Raises Invalid."""
        if not (self.request.content_type or "").startswith("application/json"):
            raise Invalid("Send JSON: Content-Type: application/json.", field="Content-Type")
        return jsonio.loads(self.request._request.body)

    def handle_exception(self, exc: Exception) -> Response:
        """Errors in the form of KIP, since its clients read no other."""
        response = super().handle_exception(exc)
        problem = response.data
        error = translated(exc)
        said = document(error)["detail"] if error else problem["detail"]
        code = _CODES.get(response.status_code, problem["code"])
        response.data = {
            "error": {"code": code, "name": problem["title"], "message": said, "hint": _hint(response.status_code)}
        }
        response.content_type = "application/json"
        response["KIP-Version"] = VERSION
        return response


class KipView(_Kip):
    """KIP for a seat: its Space and scope come from its token."""

    space: Space

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        with ExitStack() as self._inside:
            return super().dispatch(request, *args, **kwargs)

    def check_permissions(self, request: Request) -> None:
        """Anybody may ask for the name."""
        if request.method not in ("GET", "HEAD"):
            super().check_permissions(request)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if request.method not in ("GET", "HEAD"):
            super().initial(request, *args, **kwargs)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        """Name and version."""
        return self.shown(200, dict(name_and_version()))

    @extend_schema(exclude=True)
    def post(self, request: Request) -> Response:
        """Execute KIP in the scope of the token."""
        caller = self.caller
        space = visible_spaces(caller).filter(state=Space.State.READY).first() if caller.is_seat else None
        if space is None:
            raise Hidden("Only a seat has a memory here; a person uses /api/v1/spaces/<space>/kip?scope=<name>.")
        self.space = space
        require("memory:read", caller, space)
        self._inside.enter_context(entered(space))
        # A seat's own scope alone, whatever else it may read.
        binding = bind(caller, space, [], writing=True, purpose=request.headers.get("Kndl-Purpose"))
        return self.answered(binding, self.kip_body())


class SpaceKipView(_Kip, SpaceView):
    """KIP in a Space: a person names the scope."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read", "POST": "memory:read"}

    @extend_schema(exclude=True)
    def get(self, request: Request, space: str) -> Response:
        """Name and version."""
        return self.shown(200, dict(name_and_version()))

    @extend_schema(exclude=True)
    def post(self, request: Request, space: str) -> Response:
        """Execute KIP in the scope that is named."""
        query = request.query_params
        named = [*query.getlist("scope"), *query.getlist("tenant")]
        body = self.kip_body()
        reads = isinstance(body, dict) and body.get("method") != "execute_kip"
        binding = bind(
            self.caller, self.space, named, writing=self.caller.is_seat or not reads, purpose=self._stated_purpose()
        )
        record_foreign(binding, request._request, writes=not reads)
        return self.answered(binding, body)


def _logs(binding: Binding, params: Any) -> dict[str, Json]:
    page = read_log_page(params)
    ensure(binding.one.pk)
    shown, cursor = logs_page(binding, page)
    return {"result": shown} if cursor is None else {"result": shown, "next_cursor": cursor}


def _hint(status: int) -> str:
    return {
        401: "Send Authorization: Bearer <token of a seat>.",
        403: "The token does not hold the verb that this takes.",
        413: "Send less at a time.",
        503: "Try again soon.",
    }.get(status, "Correct the request and send it again.")
