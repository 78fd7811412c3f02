"""What the patterns are given, a clause, and what they find in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.layers.rules.proposals import SpokenTime
from memory.layers.rules.spoken import spoken_times


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause as it was said: `text` whole, `body` without what leads into it ("So last week …").

    `sentence` is the text around it, `greeted` tells that it comes right after a greeting.
    """

    text: str
    body: str
    sentence: str
    speaker: str
    at: datetime
    greeted: bool = False

    def times(self) -> list[SpokenTime]:
        return spoken_times(self.text, self.at)


@dataclass(frozen=True, slots=True)
class Found:
    """A fact found in a clause. `subject` is None for the speaker; `until` is a date after which it matters no more."""

    predicate: str
    object: Any
    negated: bool = False
    subject: str | None = None
    until: datetime | None = None


Pattern = Callable[[Clause], Iterator[Found]]
