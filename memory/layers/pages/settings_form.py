"""The form of the layers' settings: its fields, what was sent, and what of it is a change."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from common.strict import validated
from memory.layers.models import LayerSettings
from memory.layers.settings import SettingsInput


@dataclass(frozen=True)
class NumberField:
    """A number of the form, in its unit."""

    name: str
    label: str
    unit: str
    whole: bool = False


LASTING = (
    NumberField("fragment_tau", "τ of a fragment", "days"),
    NumberField("fragment_threshold", "Archive a fragment below", "strength"),
    NumberField("event_tau", "τ of an event", "days"),
    NumberField("event_threshold", "Archive an event below", "strength"),
)
DISTILLING = (
    NumberField("idle_minutes", "Distil a scope when idle for", "min", whole=True),
    NumberField("full_lines", "Distil a session that has", "lines", whole=True),
    NumberField("quiet_seconds", "… and was quiet for", "s", whole=True),
)
NUMBERS = {field.name: field for field in (*LASTING, *DISTILLING)}
SWITCHES = {
    "review": "Proposals wait for a person",
    "phi_to_model": "PHI may be sent to a model",
}
DISTILLERS = {
    "": "as the instance is configured",
    "extractive": "extractive: no model, no network",
    "llm": "llm: a language model",
}
LABELS = {name: field.label for name, field in NUMBERS.items()} | SWITCHES | {"distiller": "Distiller"}
# As they were when the form was drawn; who saves names it, so that nobody undoes what another saved meanwhile.
VERSION = "version"


@dataclass(frozen=True)
class Shown:
    """A number as the form shows it: the value that was sent, or the one that holds."""

    field: NumberField
    value: str
    now: str
    fault: str


@dataclass(frozen=True)
class Change:
    """A setting that is to become another, in words."""

    name: str
    label: str
    now: str
    then: str


def sent(form: QueryDict) -> SettingsInput:
    """What the form says, whole: a switch that is not there is off. Raises Invalid naming each field at fault."""
    document: dict[str, Any] = {name: _number(form.get(name, ""), field) for name, field in NUMBERS.items()}
    document |= {name: name in form for name in SWITCHES}
    return validated(SettingsInput, document | {"distiller": form.get("distiller", "")})


def changed(given: SettingsInput, settings: LayerSettings) -> dict[str, Any]:
    """The settings that would become others."""
    return {name: value for name, value in given.changes().items() if value != getattr(settings, name)}


def changes_in_words(changes: Mapping[str, Any], settings: LayerSettings) -> list[Change]:
    """Each change with what it is now and then, in the order of the form."""
    return [
        Change(name, label, _words(name, getattr(settings, name)), _words(name, changes[name]))
        for name, label in LABELS.items()
        if name in changes
    ]


def numbers(
    fields: tuple[NumberField, ...], settings: LayerSettings, form: QueryDict, faults: Mapping[str, str]
) -> Iterator[Shown]:
    """The fields as the form shows them."""
    for field in fields:
        now = f"{getattr(settings, field.name):g}"
        yield Shown(field, form.get(field.name, now), now, faults.get(field.name, ""))


def _number(text: str, field: NumberField) -> Any:
    """The number that is written there, else the text, for the refusal to say what is wrong with it."""
    try:
        return int(text) if field.whole else float(text)
    except ValueError:
        return text


def _words(name: str, value: Any) -> str:
    if name in NUMBERS:
        return f"{value:g} {NUMBERS[name].unit}"
    return DISTILLERS[value].partition(":")[0] if name == "distiller" else "yes" if value else "no"
