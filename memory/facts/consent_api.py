"""Consents over REST."""

import secrets
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import validated
from common.times import format_instant
from memory.facts.answers import ConsentAnswer
from memory.facts.api import ScopeQuery
from memory.facts.consents import ConsentInput, find_consent, record_consent
from memory.facts.models import Consent
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY


class ConsentsView(SpaceView):
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
            lambda act: record_consent(act, binding, given, unique).id,
            lambda consent_id: shown(find_consent(binding, consent_id)),
        )


def shown(consent: Consent) -> dict[str, Any]:
    """A consent as REST shows it."""
    return {
        "id": consent.id,
        "subject": consent.subject,
        "purposes": consent.purposes,
        "granted_by": consent.granted_by,
        "valid_from": format_instant(consent.valid_from),
        "valid_until": format_instant(consent.valid_until) if consent.valid_until else None,
        "evidence": consent.evidence or None,
        "recorded_at": format_instant(consent.recorded_at),
    }
