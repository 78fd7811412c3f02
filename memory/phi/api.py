"""Consents over REST."""

import secrets
from typing import Annotated, Any, ClassVar

from drf_spectacular.utils import extend_schema
from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.confirming import recently_confirmed
from audit.recording import Act
from common.errors import Forbidden
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import StrictModel, validated
from common.times import format_instant
from memory.facts.api.answers import ConsentAnswer, ConsentState
from memory.facts.asking import ScopeQuery
from memory.phi.consents import (
    ConsentInput,
    ConsentView,
    Purpose,
    find_consent,
    give_consent,
    narrow_consent,
    withdraw_consent,
)
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY


class NarrowInput(StrictModel):
    """The purposes that are left."""

    purposes: Annotated[list[Purpose], Field(min_length=1, max_length=50)]


class _ConsentsView(SpaceView):
    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Consents are changed by a seat's token, or by a person who has just proved that it is them."""
        super().initial(request, *args, **kwargs)
        if self.caller.person is not None and not recently_confirmed(request._request):
            raise Forbidden("Prove first that it is you, at /accounts/reauthenticate/.", type="confirmation_required")


class ConsentsView(_ConsentsView):
    """The consents of a scope."""

    rules: ClassVar[dict[str, str]] = {"POST": "consents:write"}

    @extend_schema(
        operation_id="consents_give",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=ConsentInput,
        responses={201: ConsentAnswer, (409, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """Record that a subject allows purposes."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(ConsentInput, self.body())
        binding = self.bound(writing=True)
        unique = secrets.token_hex(8)
        return self.once(
            201,
            lambda act: give_consent(act, binding, given, unique),
            lambda consent_id: _shown(find_consent(binding, consent_id)),
        )


class WithdrawView(_ConsentsView):
    """Ending a consent."""

    rules: ClassVar[dict[str, str]] = {"POST": "consents:write"}

    @extend_schema(
        operation_id="consents_withdraw",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=None,
        responses={200: ConsentState, (404, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, consent_id: str) -> Response:
        """Withdraw a consent; it covers nothing from the next request on."""
        parsed_query(ScopeQuery, request.query_params)
        binding = self.bound(writing=True)

        def withdraw(act: Act) -> str:
            withdraw_consent(act, binding, consent_id)
            return consent_id

        return self.once(200, withdraw, lambda made: _state(find_consent(binding, made)))


class NarrowView(_ConsentsView):
    """Taking purposes away from a consent."""

    rules: ClassVar[dict[str, str]] = {"POST": "consents:write"}

    @extend_schema(
        operation_id="consents_narrow",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=NarrowInput,
        responses={200: ConsentState, (404, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, consent_id: str) -> Response:
        """Leave a consent with fewer purposes."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(NarrowInput, self.body())
        binding = self.bound(writing=True)

        def narrow(act: Act) -> str:
            narrow_consent(act, binding, consent_id, given.purposes)
            return consent_id

        return self.once(200, narrow, lambda made: _state(find_consent(binding, made)))


def _shown(consent: ConsentView) -> dict[str, Any]:
    """A consent, to whoever gave it just now."""
    more = {"subject": consent.subject, "granted_by": consent.granted_by, "evidence": consent.evidence or None}
    return _state(consent) | more


def _state(consent: ConsentView) -> dict[str, Any]:
    """What a consent is worth. Whose it is, whoever changes it need not know."""
    return {
        "id": consent.id,
        "purposes": list(consent.purposes),
        "valid_from": format_instant(consent.valid_from),
        "valid_until": format_instant(consent.valid_until) if consent.valid_until else None,
        "withdrawn_at": format_instant(consent.withdrawn_at) if consent.withdrawn_at else None,
        "recorded_at": format_instant(consent.recorded_at),
    }
