"""What a Space says of its layers, over REST."""

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.confirming import recently_confirmed
from audit.recording import Act
from common.errors import Forbidden, Invalid
from common.rest.query import parsed_query
from common.rest.schema import Problem, query_parameters
from common.strict import validated
from common.times import format_instant, now
from memory.facts.asking import ScopeQuery
from memory.layers.api.answers import ConsequenceList, SettingsAnswer
from memory.layers.decay import next_pass_at
from memory.layers.models import LayerSettings
from memory.layers.settings import SETTINGS, SettingsInput, change_settings, consequences, layer_settings
from spaces.rest import SpaceView
from spaces.rest_schema import IDEMPOTENCY_KEY

IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description="The ETag that was read; changed meanwhile, it is refused."
)


class LayersGoverningView(SpaceView):
    """What holds for the whole Space is changed by a seat's token, or by a person who has just proved who they are."""

    def refuse_unconfirmed(self) -> None:
        """Raise Forbidden for a browser whose person has to prove first that it is them."""
        if self.caller.person is not None and not recently_confirmed(self.request._request):
            raise Forbidden("Prove first that it is you, at /accounts/reauthenticate/.", type="confirmation_required")


class SettingsView(LayersGoverningView):
    """The settings of the layers."""

    rules: ClassVar[dict[str, str]] = {"GET": "memory:read", "PUT": "layers:govern"}

    @extend_schema(
        operation_id="layer_settings_read", parameters=query_parameters(ScopeQuery), responses={200: SettingsAnswer}
    )
    def get(self, request: Request, space: str) -> Response:
        """What the Space says of its layers; the ETag is for If-Match."""
        parsed_query(ScopeQuery, request.query_params)
        return _tagged(Response(_shown(layer_settings())))

    @extend_schema(
        operation_id="layer_settings_change",
        parameters=[*query_parameters(ScopeQuery), IF_MATCH, IDEMPOTENCY_KEY],
        request=SettingsInput,
        responses={
            200: SettingsAnswer,
            (400, "application/problem+json"): Problem,
            (412, "application/problem+json"): Problem,
        },
    )
    def put(self, request: Request, space: str) -> Response:
        """Change the settings that are given. A new τ goes to the memories that are there as well."""
        parsed_query(ScopeQuery, request.query_params)
        self.refuse_unconfirmed()
        given, version = validated(SettingsInput, self.body()), _version(request.headers.get("If-Match"))

        def write(act: Act) -> str:
            return str(change_settings(act, self.caller, self.space, given, now(), version=version).version)

        return _tagged(self.once(200, write, lambda made: _shown(layer_settings())))


class SettingsPreviewView(SpaceView):
    """What a change of settings would do."""

    rules: ClassVar[dict[str, str]] = {"POST": "memory:read"}

    @extend_schema(
        operation_id="layer_settings_preview",
        parameters=query_parameters(ScopeQuery),
        request=SettingsInput,
        responses={200: ConsequenceList, (400, "application/problem+json"): Problem},
    )
    def post(self, request: Request, space: str) -> Response:
        """How many memories the next pass would take with a change, layer by layer, and how many could return."""
        parsed_query(ScopeQuery, request.query_params)
        given = validated(SettingsInput, self.body())
        at = next_pass_at(self.space, now())
        found = consequences(given.changes(), at)
        return Response({"next_pass_at": format_instant(at), "layers": [vars(layer) for layer in found]})


def _shown(settings: LayerSettings) -> dict[str, Any]:
    return {"version": settings.version} | {name: getattr(settings, name) for name in SETTINGS}


def _tagged(response: Response) -> Response:
    response["ETag"] = f'"{response.data["version"]}"'
    return response


def _version(given: str | None) -> int | None:
    if given is None or given == "*":
        return None
    bare = given.removeprefix("W/").strip('"')
    if not (bare.isascii() and bare.isdigit() and len(bare) <= 9):
        raise Invalid("must be an ETag of these settings", field="If-Match")
    return int(bare)
