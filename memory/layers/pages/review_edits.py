"""What a person changed in proposals before approving them, read off the form of the review queue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from memory.layers.models import Proposal
from memory.layers.showing_proposals import EDITS


@dataclass(frozen=True)
class EditField:
    """A field of a proposal's form. `name` is its name in the form, `key` how an error calls it."""

    name: str
    key: str
    label: str
    value: str
    is_long: bool


@dataclass(frozen=True)
class Rows:
    """One page of proposals, and the `after` of the next; None at the end."""

    shown: list[Proposal]
    next: int | None


def rows_of(found: Sequence[Proposal], limit: int) -> Rows:
    """Split what was found into the page and where the next begins."""
    return Rows(list(found[:limit]), found[limit - 1].pk if len(found) > limit else None)


def values_of(row: Proposal, posted: QueryDict) -> list[EditField]:
    """The fields that may be changed, as they were sent or as the proposal has them."""
    return [
        EditField(
            (name := f"edit-{row.pk}-{field}"),
            f"{row.pk}.{field}",
            label,
            posted.get(name, _plain(row, field)),
            is_long,
        )
        for field, label, is_long in EDITS[row.kind]
    ]


def edits_of(rows: Sequence[Proposal], posted: QueryDict) -> dict[int, Mapping[str, Any]]:
    """For each proposal the fields that came back as something else than they were."""
    found: dict[int, Mapping[str, Any]] = {}
    for row in rows:
        changed = {
            field: _typed(field, value)
            for field, _, _ in EDITS[row.kind]
            if (value := posted.get(f"edit-{row.pk}-{field}")) is not None and _differs(value, _plain(row, field))
        }
        if changed:
            found[row.pk] = changed
    return found


def _plain(row: Proposal, field: str) -> str:
    value = row.body.get(field)
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _differs(sent: str, kept: str) -> bool:
    # A browser sends line breaks as CRLF.
    return sent.replace("\r\n", "\n").strip() != kept.strip()


def _typed(field: str, value: str) -> Any:
    """A confidence as the number it is, where it is one; anything else as text."""
    text = value.replace("\r\n", "\n").strip()
    if field != "confidence":
        return text
    try:
        return float(text)
    except ValueError:
        return text
