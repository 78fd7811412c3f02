"""A score as a sum: what each term adds to it, in the order in which it is reckoned."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add, mul
from typing import Any

_FACTORS = {
    "long prose": "Long prose",
    "brief": "Brief line",
    "speaker": "Said by whom it names",
    "time": "Holds a time",
    "number": "Holds a number",
    "date": "Said when it asks of",
    "another part": "Another part of the line stands for it",
}
_SPREAD = {"neighbour": "From the line beside it", "event": "From its event"}
# label, the term as it is written, what it makes of the sum before it, whether it is shown even where it adds nothing
_Change = tuple[str, str, Callable[[float], float], bool]


@dataclass(frozen=True, slots=True)
class Step:
    """One term. `says` is the term as it stands in the formula; `adds` what the sum grows by, from `before` on."""

    label: str
    says: str
    before: float
    adds: float

    @property
    def after(self) -> float:
        """Return the sum with this term."""
        return self.before + self.adds


def steps_of(terms: Mapping[str, Any], layer: int) -> list[Step]:
    """Return the terms of a place's account (as an explanation shows it); what they add sums up to its score.

    A factor and the strength add what they change the sum by. A term that adds nothing is left out, but for words, and
    for the cosine of a fragment.
    """
    found: list[Step] = []
    total = 0.0
    for label, says, change, always in _changes(terms, layer):
        after = change(total)
        if always or after != total:
            found.append(Step(label, says, total, after - total))
        total = after
    return found


def most_of(all_steps: Sequence[Sequence[Step]]) -> float:
    """Return the largest sum on the way to any of these scores: what a bar's full width stands for; 0 for none."""
    return max((step.after for steps in all_steps for step in steps), default=0.0)


def _changes(terms: Mapping[str, Any], layer: int) -> Iterator[_Change]:
    yield _plus("Words", terms["words"], always=True)
    yield _plus("Nearness in meaning", terms["cosine"], always=layer <= 1)
    yield _plus("Reached through the graph", terms["activation"])
    for name, factor in terms["factors"].items():
        yield _times(_FACTORS.get(name, name.capitalize()), factor)
    for name, share in terms["spread"].items():
        yield _plus(_SPREAD.get(name, name.capitalize()), share)
    yield _times("Strength", terms["strength"])
    if terms["limit"] is not None:
        yield "Stands behind its own lines", f"at most {terms['limit']:.3f}", partial(min, terms["limit"]), False


def _plus(label: str, value: float, *, always: bool = False) -> _Change:
    return label, f"+ {value:.3f}", partial(add, value), always


def _times(label: str, value: float) -> _Change:
    return label, f"× {value:.3f}", partial(mul, value), False
