"""What was forgotten, over REST: when, by whom and why, never what."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.recording import Act
from common import cursor
from common.errors import Invalid
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.times import format_instant, now
from memory.facts.asking import ScopeQuery
from memory.layers.api.answers import TombstoneAnswer, TombstoneList
from memory.layers.api.asking import PageQuery, number_of
from memory.layers.api.documents import instant
from memory.layers.models import Tombstone
from memory.layers.tombstones import find_tombstone, lift, tombstones
from spaces.access import Binding
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY


class TombstonesView(SpaceView):
    """What was forgotten."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read"}

    @extend_schema(
        operation_id="tombstones_list", parameters=query_parameters(PageQuery), responses={200: TombstoneList}
    )
    def get(self, request: Request, space: str) -> Response:
        """The signs by which what was forgotten is kept from coming back, the latest first."""
        given = parsed_query(PageQuery, request.query_params)
        binding = self.bound()
        found = tombstones(binding, limit=given.limit + 1, before=_position(given.cursor))
        shown = found[: given.limit]
        more = len(found) > given.limit
        return Response(
            {
                "count": len(shown),
                "tombstones": [_shown(binding, sign) for sign in shown],
                "next": cursor.encode({"forgotten_before": shown[-1].pk}) if more else None,
            }
        )


class LiftView(SpaceView):
    """Letting come back what was forgotten."""

    rules: ClassVar[dict[str, str]] = {"POST": "memory:govern"}

    @extend_schema(
        operation_id="tombstones_lift",
        parameters=[*query_parameters(ScopeQuery), IDEMPOTENCY_KEY],
        request=None,
        responses={200: TombstoneAnswer, (404, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str, tombstone_id: str) -> Response:
        """Let a memory be made again, should it be told or distilled again; what was forgotten is not brought back."""
        parsed_query(ScopeQuery, request.query_params)
        binding = self.bound(writing=True)

        def write(act: Act) -> str:
            return str(lift(act, binding, number_of(tombstone_id, "tombstone"), now()).pk)

        return self.once(200, write, lambda made: _shown(binding, find_tombstone(binding, int(made))))


def _position(given: str | None) -> int | None:
    if given is None:
        return None
    before = cursor.decode(given, expect={"forgotten_before"})["forgotten_before"]
    if not isinstance(before, int):
        raise Invalid("is not a cursor of this list", field="cursor")
    return before


def _shown(binding: Binding, sign: Tombstone) -> dict[str, Any]:
    return {
        "id": sign.pk,
        "memory": sign.node,
        "scope": binding.names[sign.scope],
        "layer": sign.layer,
        "kind": sign.kind,
        "session": str(sign.session) if sign.session else None,
        "at": format_instant(sign.at),
        "by": sign.by,
        "reason": sign.reason,
        "lifted_at": instant(sign.lifted_at),
    }
