"""What a Space says of its layers: read, changed, and what a change would do before it is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from audit.recording import Act
from common.errors import Forbidden, Stale
from common.strict import StrictModel
from memory.layers.elements import run_sql
from memory.layers.models import LayerSettings, Reinforcement
from memory.layers.rules.strength import EVENT, FRAGMENT, effective_sql
from spaces.access import Caller
from spaces.models import Membership, Space

Tau = Annotated[float, Field(ge=0.1, le=36_500, description="Days.")]
Threshold = Annotated[float, Field(ge=0, le=0.9, description="Strength below which a pass archives.")]


class SettingsInput(StrictModel):
    """The settings that are to change; those left out stay as they are."""

    review: Annotated[bool, Field(description="Proposals wait for a person.")] = False
    distiller: Annotated[
        Literal["", "extractive", "llm"], Field(description="Empty: the one the instance is configured with.")
    ] = ""
    phi_to_model: Annotated[bool, Field(description="PHI may be sent to a model; only an owner may say so.")] = False
    fragment_tau: Tau = 14.0
    event_tau: Tau = 45.0
    fragment_threshold: Threshold = 0.05
    event_threshold: Threshold = 0.02
    idle_minutes: Annotated[int, Field(ge=1, le=10_080)] = 30
    full_lines: Annotated[int, Field(ge=10, le=100_000)] = 200
    quiet_seconds: Annotated[int, Field(ge=1, le=3_600)] = 30

    def changes(self) -> dict[str, Any]:
        """What was given, by name."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}


SETTINGS = tuple(SettingsInput.model_fields)
_OF_LAYER = {FRAGMENT: ("fragment_tau", "fragment_threshold"), EVENT: ("event_tau", "event_threshold")}


@dataclass(frozen=True)
class Consequence:
    """What a change does to one layer at the next pass.

    `goes` as things are and `would_go` with the change, of `live` memories. `could_return`: archived by a pass, and
    above the threshold with the change; they come back when a person restores them.
    """

    layer: int
    live: int
    goes: int
    would_go: int
    could_return: int


def layer_settings() -> LayerSettings:
    """The settings of the Space one is in."""
    found, _ = LayerSettings.objects.get_or_create(single=True)
    return found


def thresholds(settings: LayerSettings) -> dict[int, float]:
    """The strength below which memories of a layer are archived; other layers never are."""
    return {FRAGMENT: settings.fragment_threshold, EVENT: settings.event_threshold}


def base_tau(settings: LayerSettings, layer: int) -> float:
    """The τ in days that a new memory of `layer` starts with; infinite for what never fades."""
    return {FRAGMENT: settings.fragment_tau, EVENT: settings.event_tau}.get(layer, float("inf"))


def change_settings(
    act: Act, caller: Caller, space: Space, given: SettingsInput, at: datetime, *, version: int | None = None
) -> LayerSettings:
    """Change the settings, in the transaction `act`; a changed τ goes to the memories that are there as well.

    Each keeps what recall added to its τ in proportion, and no score is touched. Raises Stale when they are not at
    `version` any more, and Forbidden where somebody else than an owner would let PHI out to a model.
    """
    layer_settings()
    settings = LayerSettings.objects.select_for_update().get()
    if version is not None and version != settings.version:
        raise Stale("The settings were changed in the meantime.", version=settings.version)
    changed = {name: value for name, value in given.changes().items() if getattr(settings, name) != value}
    if changed.get("phi_to_model") and caller.role_in(space) != Membership.Role.OWNER:
        raise Forbidden("Only an owner of the Space may let PHI be sent to a model.")
    for layer, (tau, _) in _OF_LAYER.items():
        if tau in changed:
            _set_tau(layer, changed[tau] / getattr(settings, tau), at, str(caller.actor))
    for name, value in changed.items():
        setattr(settings, name, value)
    if changed:
        settings.version += 1
        settings.save()
    act.record(caller.actor, "layers.settings", version=settings.version, **changed)
    return settings


def consequences(changes: Mapping[str, Any], at: datetime) -> list[Consequence]:
    """What the pass at the instant `at` would take in each layer with `changes`, beside what it takes as things are."""
    settings = layer_settings()
    found = []
    for layer, (tau, threshold) in _OF_LAYER.items():
        now, then = (
            {name: source.get(name, getattr(settings, name)) for name in (tau, threshold)} for source in ({}, changes)
        )
        values = {
            "layer": layer,
            "at": at,
            "ratio": then[tau] / now[tau],
            "threshold": now[threshold],
            "new_threshold": then[threshold],
        }
        found.append(Consequence(layer, *run_sql(_CONSEQUENCE, values)[0]))
    return found


_AT = "%(at)s::timestamptz"
_CONSEQUENCE = (
    "select count(*) filter (where s.archived_at is null),"
    " count(*) filter (where s.archived_at is null and not s.pinned"
    f"  and {effective_sql('s', _AT)} < %(threshold)s),"
    " count(*) filter (where s.archived_at is null and not s.pinned"
    f"  and {effective_sql('t', _AT)} < %(new_threshold)s),"
    " count(*) filter (where exists (select 1 from decay_pass p where p.at = s.archived_at)"
    f"  and {effective_sql('t', _AT)} >= %(new_threshold)s)"
    " from node_strength s"
    " cross join lateral (select s.pinned, s.score, s.scored_at, s.tau * %(ratio)s::float8 tau) t"
    " where s.layer = %(layer)s"
)


def _set_tau(layer: int, ratio: float, at: datetime, actor: str) -> None:
    """Give every memory of a layer its new τ, and a row that says so, from which earlier strength is read."""
    # Rows are reached in no order here: whoever would lock some of them waits until this is done.
    run_sql("lock table node_strength in exclusive mode", {})
    values = {"layer": layer, "ratio": ratio, "at": at, "actor": actor, "kind": Reinforcement.Kind.SET}
    run_sql(
        "update node_strength set tau = tau * %(ratio)s::float8 where layer = %(layer)s and tau < 'Infinity'", values
    )
    run_sql(
        "insert into reinforcement (node, scope, kind, at, score, tau, pinned, actor)"
        f" select s.node, s.scope, %(kind)s, %(at)s, {effective_sql('s', _AT)}, s.tau, s.pinned, %(actor)s"
        " from node_strength s where s.layer = %(layer)s and s.tau < 'Infinity'",
        values,
    )
