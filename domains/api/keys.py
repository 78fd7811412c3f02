"""KEYS: masked, and one at a time."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common.rest.query import parsed_query
from common.rest.schema import Problem
from common.strict import validated
from domains import reading
from domains.api.answers import KeyAnswer, KeyList, RevealedAnswer, key_shown
from domains.api.asking import KeyInput, NoQuery
from domains.api.base import PROBLEM, DomainView
from domains.holding import held
from domains.keys import delete_key, find_key, put_key, reveal_key
from domains.reading import MaskedKey
from spaces.rest_schema import IDEMPOTENCY_KEY

_REFUSED = {(code, PROBLEM): Problem for code in (400, 403, 404, 409)}


class KeysView(DomainView):
    """The keys of a domain."""

    rules: ClassVar[dict[str, str]] = {"GET": "domains:look"}

    @extend_schema(operation_id="domain_keys_list", responses={200: KeyList, (404, PROBLEM): Problem})
    def get(self, request: Request, domain: str) -> Response:
        """The names of the keys; every value is masked alike."""
        parsed_query(NoQuery, request.query_params)
        return Response({"keys": [key_shown(key) for key in reading.keys_of(self.found(domain).domain)]})


class OneKeyView(DomainView):
    """One key."""

    rules: ClassVar[dict[str, str]] = {"PUT": "domains:look", "DELETE": "domains:look"}

    @extend_schema(
        operation_id="domain_keys_put",
        parameters=[IDEMPOTENCY_KEY],
        request=KeyInput,
        responses={200: KeyAnswer, **_REFUSED},
    )
    def put(self, request: Request, domain: str, name: str) -> Response:
        """Set a key. Asks a person for recent proof; the answer is masked."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        standing.require_keeping()
        self.refuse_unconfirmed()
        given = validated(KeyInput, self.body())

        def write(act: Act) -> str:
            put_key(act, standing, name, given.value)
            return name

        def show(made: str) -> dict[str, Any]:
            row = find_key(standing.domain, made)
            return key_shown(MaskedKey(row.name, row.position, row.changed_at))

        with held(standing.domain):
            return self.once(200, write, show)

    @extend_schema(operation_id="domain_keys_delete", request=None, responses={204: None, **_REFUSED})
    def delete(self, request: Request, domain: str, name: str) -> Response:
        """Take a key away. Asks a person for recent proof."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        standing.require_keeping()
        self.refuse_unconfirmed()
        with held(standing.domain):
            self.attempted(lambda act: delete_key(act, standing, name))
        return Response(status=204)


class RevealView(DomainView):
    """The value of one key."""

    rules: ClassVar[dict[str, str]] = {"POST": "domains:look"}

    @extend_schema(
        operation_id="domain_keys_reveal",
        request=None,
        responses={200: RevealedAnswer, (403, PROBLEM): Problem, (404, PROBLEM): Problem},
    )
    def post(self, request: Request, domain: str, name: str) -> Response:
        """Show a value. Asks a person for recent proof, and is on record."""
        parsed_query(NoQuery, request.query_params)
        standing = self.found(domain)
        standing.require_revealing()
        self.refuse_unconfirmed()
        value = self.attempted(lambda act: reveal_key(act, standing, name))
        return Response({"name": name, "value": value})
