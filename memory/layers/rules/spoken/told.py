"""What the families of times share: the text, the day it was said on, and how a family is written down."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from memory.layers.rules.spoken import tense
from memory.layers.rules.spoken.stretches import Moment, Stretch


@dataclass(frozen=True, slots=True)
class Told:
    """A text, the same in lower case (of the same length), and when it was said; `day` is the day of `said_at`."""

    text: str
    lowered: str
    said_at: datetime
    day: date

    def direction(self, found: re.Match[str]) -> tense.Direction | None:
        """Which way the time lies from `day`, by the words around it."""
        return tense.direction(self.lowered, found.start("words"), found.end("words"))

    def capitalised(self, found: re.Match[str], group: str) -> bool:
        return self.text[found.start(group)].isupper()


Resolve = Callable[[re.Match[str], Told], Stretch | Moment | None]


@dataclass(frozen=True, slots=True)
class Family:
    """One way of telling a time. The group `words` of its pattern is the time itself, without what leads to it.

    `needs` are the kinds of trigger word of which a text must hold one; `resolve` returns None, or raises ValueError
    or OverflowError, for what is no time after all.
    """

    needs: frozenset[str]
    pattern: re.Pattern[str]
    resolve: Resolve
