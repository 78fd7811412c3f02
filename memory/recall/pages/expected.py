"""A memory that somebody expected in an answer: why it is not there, or which ones they may mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.layers.reading import MemoryQuery, query_memories
from memory.layers.statements import Memory, memories_by_id
from memory.recall.pages.places import Bar, bars_of
from memory.recall.pages.reasons import details_of
from memory.recall.rules.adding_up import most_of, steps_of
from spaces.access import Binding

MOST_PICKS = 8
_REASONS = {
    "not_here": "not in this scope",
    "withheld": "withheld",
    "superseded": "corrected since",
    "merged": "merged into another",
    "archived": "archived",
    "not_formed_yet": "not formed yet",
    "said_later": "said later",
    "phi": "PHI",
    "not_missing": "it is in the answer",
    "cut_off": "cut off",
    "not_found": "no arm brought it",
}


@dataclass(frozen=True)
class Expected:
    """Why one is not there. `memory` is None where it is not there for the reader."""

    id: str
    memory: Memory | None
    scope: str
    reason: str
    detail: str
    bars: list[Bar]
    details: list[tuple[str, str]]
    score: float | None


def expected_of(binding: Binding, missing: Mapping[str, Any], at: datetime) -> Expected:
    """One entry of an answer's `missing`, with the memory as it is at the instant `at`."""
    memory = memories_by_id(binding, [int(missing["id"])], at).get(int(missing["id"]))
    because = missing.get("explanation") or {}
    steps = steps_of(because["terms"], memory.layer if memory else 1) if "terms" in because else []
    return Expected(
        missing["id"],
        memory,
        binding.names[memory.scope] if memory else "",
        _REASONS[missing["reason"]],
        missing["detail"],
        bars_of(steps, most_of([steps])),
        details_of(because),
        because.get("score"),
    )


def picks_of(binding: Binding, words: str, at: datetime) -> list[Memory]:
    """Memories that hold these words, the newest first, archived ones too: which one is meant?"""
    return query_memories(binding, MemoryQuery(text=words, archived="any", limit=MOST_PICKS), at=at).memories
