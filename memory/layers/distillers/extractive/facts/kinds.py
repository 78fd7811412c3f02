"""Which predicates are proposed, and with how much trust, for how long, and whether a person should look first."""

from dataclasses import dataclass
from typing import Literal

Dated = Literal["", "clause", "lead"]

_A_YEAR = "0.5/365d"
_HALF_A_YEAR = "0.5/180d"
_A_DAY = "0.5/1d"
_AN_HOUR = "0.5/1h"


@dataclass(frozen=True, slots=True)
class Kind:
    """What is proposed with every fact of a predicate.

    `multi_valued`: two different objects may hold at once. `dated`: where a past time has to
    be told to say since when, anywhere in the clause or before it ("Last week I decided to sell what I bought in May").
    `review`: sensitive, or right too seldom to be taken as said.
    """

    confidence: float
    decay: str | None
    multi_valued: bool = False
    dated: Dated = ""
    review: bool = False


_HAPPENED = Kind(0.75, _A_YEAR, multi_valued=True, dated="clause", review=True)

KINDS: dict[str, Kind] = {
    # Who somebody is: stays.
    "name": Kind(0.95, None),
    "goes_by": Kind(0.9, None, multi_valued=True),
    "from": Kind(0.85, None, multi_valued=True),
    "birthday": Kind(0.9, None),
    "birth_year": Kind(0.9, None),
    "birthplace": Kind(0.9, None),
    "has_relation": Kind(0.9, None, multi_valued=True),
    "speaks": Kind(0.9, None, multi_valued=True),
    # How somebody stands: changes with the years.
    "role": Kind(0.9, _A_YEAR, multi_valued=True, dated="clause"),
    "lives_in": Kind(0.9, _A_YEAR, dated="clause"),
    "works_at": Kind(0.85, _A_YEAR, multi_valued=True, dated="clause"),
    "works_in": Kind(0.8, _A_YEAR, multi_valued=True, dated="clause"),
    "studies": Kind(0.8, _A_YEAR, multi_valued=True, dated="clause"),
    "age": Kind(0.85, _A_YEAR),
    "marital_status": Kind(0.85, _A_YEAR, dated="clause"),
    "has_children": Kind(0.85, _A_YEAR),
    "has_pet": Kind(0.85, _A_YEAR, multi_valued=True),
    "uses": Kind(0.85, _A_YEAR, multi_valued=True, dated="clause"),
    # Health.
    "allergic_to": Kind(0.9, None, multi_valued=True, review=True),
    "has_condition": Kind(0.85, _A_YEAR, multi_valued=True, dated="clause", review=True),
    "diet": Kind(0.85, _A_YEAR, multi_valued=True, dated="clause"),
    # Taste.
    "prefers": Kind(0.9, _A_YEAR, multi_valued=True),
    "likes": Kind(0.75, _A_YEAR, multi_valued=True),
    "dislikes": Kind(0.85, _A_YEAR, multi_valued=True),
    # Choices.
    "decided": Kind(0.9, _HALF_A_YEAR, multi_valued=True, dated="lead"),
    "decided_against": Kind(0.9, _HALF_A_YEAR, multi_valued=True, dated="lead"),
    "will": Kind(0.85, None, multi_valued=True),
    # What happened.
    "started": _HAPPENED,
    "joined": _HAPPENED,
    "bought": _HAPPENED,
    "adopted": _HAPPENED,
    "finished": _HAPPENED,
    "launched": _HAPPENED,
    "graduated_from": _HAPPENED,
    "enrolled_in": _HAPPENED,
    # Things.
    "due": Kind(0.8, None),
    "scheduled_for": Kind(0.8, None),
    "reads": Kind(0.9, _A_DAY),
    "price": Kind(0.85, _AN_HOUR),
}
_FAVOURITE = Kind(0.85, _A_YEAR)
FAVOURITE = "favourite_"


def kind_of(predicate: str) -> Kind:
    """Return the kind of a predicate of `KINDS` or of a favourite, such as `favourite_colour`."""
    return _FAVOURITE if predicate.startswith(FAVOURITE) else KINDS[predicate]
