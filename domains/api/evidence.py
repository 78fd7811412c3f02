"""What was found on disk and not taken."""

import uuid
from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from common.rest.query import parsed_query
from common.rest.schema import Problem
from domains import evidence, reading
from domains.api.answers import EvidenceList, OneEvidenceAnswer, evidence_shown
from domains.api.asking import NoQuery
from domains.api.base import PROBLEM, DomainView

MOST = 200


class EvidenceView(DomainView):
    """The evidence of a domain."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look"}

    @extend_schema(
        operation_id="domain_evidence_list",
        responses={200: EvidenceList, (403, PROBLEM): Problem, (404, PROBLEM): Problem},
    )
    def get(self, request: Request, domain: str) -> Response:
        """The newest 200, without what was found; for who governs."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        standing.require_evidence()
        found = reading.evidence_of(standing.domain)[:MOST]
        return Response({"evidence": [evidence_shown(one) for one in found]})


class OneEvidenceView(DomainView):
    """One piece of evidence."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look"}

    @extend_schema(
        operation_id="domain_evidence_read",
        responses={200: OneEvidenceAnswer, (403, PROBLEM): Problem, (404, PROBLEM): Problem},
    )
    def get(self, request: Request, domain: str, evidence_id: uuid.UUID) -> Response:
        """With what was found, which may hold a credential: asks for recent proof, and is on record."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        standing.require_evidence()
        self.refuse_unconfirmed()
        found = evidence.find(standing.domain, evidence_id)
        content = self.attempted(lambda act: evidence.content_of(act, self.caller, standing.domain, found))
        return Response(evidence_shown(found) | {"found": content.decode("utf-8", "replace")})
