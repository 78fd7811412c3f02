"""A line with its secrets masked, in everything that it says."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.sessions.masking import Masked, mask, mask_followup

_SHOWN_KEY = 60
_SHORT = 100


@dataclass(frozen=True, slots=True)
class Said:
    """What a line says: the parts of it that may hold a secret."""

    speaker: str
    text: str
    more: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Hidden:
    """The same, masked, and how many secrets of each kind there were."""

    said: Said
    counts: Mapping[str, int] = field(default_factory=dict)


class Hider:
    """Masks lines that belong together; names and other short values that come again are masked once."""

    def __init__(self) -> None:
        self._short: dict[tuple[str, str], Masked] = {}

    def hide(self, said: Said, previous: str) -> Hidden:
        """Mask what a line says. `previous` is the masked text of the line before it, empty for the first one."""
        told = mask_followup(previous, said.text) if previous else mask(said.text)
        counts: Counter[str] = Counter(told.counts)
        speaker = self._name(said.speaker, counts) if said.speaker else ""
        more = None if said.more is None else self._members(said.more, counts)
        return Hidden(Said(speaker, told.text, more), counts)

    def _members(self, values: dict[str, Any], counts: Counter[str]) -> dict[str, Any]:
        return {self._name(key, counts): self._value(key, value, counts) for key, value in values.items()}

    def _value(self, key: str, value: Any, counts: Counter[str]) -> Any:
        """A value under its key: what a password is may be told by the key alone."""
        if isinstance(value, str):
            return self._counted(key, value, counts)
        if isinstance(value, dict):
            return self._members(value, counts)
        if isinstance(value, list):
            return [self._value(key, item, counts) for item in value]
        if isinstance(value, int) and not isinstance(value, bool):
            text = self._counted(key, str(value), counts)
            return value if text == str(value) else text
        return value

    def _name(self, text: str, counts: Counter[str]) -> str:
        return self._counted("", text, counts)

    def _counted(self, key: str, value: str, counts: Counter[str]) -> str:
        found = self._short.get((key, value))
        if found is None:
            found = _masked_under(key[:_SHOWN_KEY], value)
            if len(value) <= _SHORT:
                self._short[key, value] = found
        counts.update(found.counts)
        return found.text


def _masked_under(key: str, value: str) -> Masked:
    alone = mask(value)
    if alone.text != value or not key:
        return alone
    front = f"{key}: "
    told = mask(front + value)
    return Masked(told.text.removeprefix(front), told.counts)
