"""The bases of the REST routes: inside a Space, and of what the whole instance has."""

import hmac
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, ClassVar, TypeVar

import structlog
from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit import idempotency
from audit.recording import Act
from common import jsonio
from common.crypto import derived
from common.errors import Invalid
from common.rest.caching import kept_nowhere
from common.rest.problem import translated
from spaces.access import Binding, Caller, bind, caller_of, find_space
from spaces.databases.entering import entered, unavailable
from spaces.databases.transactions import attempted, attempted_here
from spaces.models import Space
from spaces.recording import record_foreign, record_refusal
from spaces.rules import require, require_here

Written = TypeVar("Written")


class CallerView(APIView):
    """Knows who calls, and does a write once for its key; the transaction is the subclass's."""

    rules: ClassVar[dict[str, str]] = {}
    caller: Caller

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.caller = caller_of(request)
        structlog.contextvars.bind_contextvars(actor=str(self.caller.actor))

    @property
    def rule(self) -> str:
        """The name of the method's rule; HEAD answers what GET answers, as far as its length."""
        method = self.request.method or ""
        return self.rules.get("GET" if method == "HEAD" else method, "")

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        return kept_nowhere(super().finalize_response(request, response, *args, **kwargs))

    def handle_exception(self, exc: Exception) -> Response:
        exc = unavailable(exc) or exc
        error = translated(exc)
        if error and hasattr(self, "caller"):
            record_refusal(self.caller, getattr(self, "space", None), self.request._request, error)
        return super().handle_exception(exc)

    def attempted(self, write: Callable[[Act], Written]) -> Written:
        """Run `write` in a transaction of the view's database, and again when another writer came first."""
        raise NotImplementedError

    def body(self) -> Any:
        """The request's body as strict JSON. Raises Invalid, and TooLarge for one beyond Django's limit."""
        given = self.request.content_type or ""
        if given.split(";")[0].strip() not in {"application/json", ""}:
            raise Invalid("Send JSON: Content-Type: application/json.", field="Content-Type")
        return jsonio.loads(self.request._request.body)

    def once(self, status: int, write: Callable[[Act], str], show: Callable[[str], dict[str, Any]]) -> Response:
        """Do a write once for its `Idempotency-Key`, in one transaction with the key.

        `write` returns the id of what it made, `show` renders that id; a repeated request is answered by `show` alone.
        """
        key = self._idempotency_key()
        actor = self.caller.actor

        def attempt(act: Act) -> tuple[str, int, bool]:
            if key is None:
                return write(act), status, False
            replay = idempotency.claim(act.using, actor, key, self._digest())
            if replay is not None:
                act.record(actor, "write.replayed", replay.object_id)
                return replay.object_id, replay.status, True
            made = write(act)
            idempotency.settle(act.using, actor, key, status, made)
            return made, status, False

        made, answered, replayed = self.attempted(attempt)
        response = Response(show(made), status=answered)
        if replayed:
            response["Idempotent-Replayed"] = "true"
        return response

    def _idempotency_key(self) -> str | None:
        key = self.request.headers.get("Idempotency-Key")
        if key is not None and (not 1 <= len(key) <= 255 or not key.isascii() or not key.isprintable()):
            raise Invalid("must be 1 to 255 visible ASCII characters", field="Idempotency-Key")
        return key

    def _digest(self) -> bytes:
        """What the same request has in common with itself: method, address and body.

        Under a key, so that nobody who reads the row can try bodies until one fits.
        """
        request = self.request._request
        given = f"{request.method} {request.get_full_path()}\0".encode() + request.body
        return hmac.new(derived(settings.SECRET_KEY.encode(), "kndl idempotency keys"), given, "sha256").digest()


class SpaceView(CallerView):
    """Finds the Space of the route for this caller, asks the rule of the method, and stays inside the Space.

    `rules` names the rule for each method. Answers are rendered inside the Space. A route whose body may state a
    purpose sets `body_purpose` before it asks what it is bound to.
    """

    space: Space
    body_purpose: str | None = None

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        with ExitStack() as self._inside:
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.space = find_space(self.caller, kwargs["space"])
        self._inside.enter_context(entered(self.space))
        if self.rule:
            require(self.rule, self.caller, self.space)

    def attempted(self, write: Callable[[Act], Written]) -> Written:
        return attempted(write)

    def bound(self, *, writing: bool = False, tenant: str | None = None) -> Binding:
        """The scopes this request is bound to, by `?scope=`, its alias `?tenant=`, or the body's `tenant`."""
        query = self.request.query_params
        named = [*query.getlist("scope"), *query.getlist("tenant"), *([] if tenant is None else [tenant])]
        binding = bind(self.caller, self.space, named, writing=writing, purpose=self._stated_purpose())
        record_foreign(binding, self.request._request, writes=writing)
        return binding

    def _stated_purpose(self) -> str | None:
        stated = {
            value
            for value in (
                self.request.query_params.get("purpose"),
                self.request.headers.get("Kndl-Purpose"),
                self.body_purpose,
            )
            if value
        }
        if len(stated) > 1:
            raise Invalid("Two different purposes are stated.", field="purpose")
        return stated.pop() if stated else None


class InstanceView(CallerView):
    """A route of what the whole instance has; its rows and their audit are in the control database."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.rule:
            require_here(self.rule, self.caller)

    def attempted(self, write: Callable[[Act], Written]) -> Written:
        return attempted_here(write)
