"""Facts that nobody ever stated, for measuring. The same number always makes the same fact.

Ten facts a subject. Of each 100 facts, two contradict each other, five supersede an older one, ten are derived from
two others, and sixty fade. Of each 10,000, 50 derive from each other in diamonds: 24 layers of two facts, each derived
from both of the layer below, between one root and one leaf; and one has a predicate that is found nowhere else.
"""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

A_SUBJECT = 10
BLOCK = 10_000
DIAMOND = 50
RARE, RARE_PREDICATE = 5_003, "auditNote"
BATCH = 2_000

_BEGINNING = datetime(2022, 1, 1, tzinfo=UTC)
PAST = "2023-06-01T00:00:00Z"
_PREDICATES = (
    "creditScore", "annualIncome", "employer", "postalCode", "preferredChannel",
    "openTickets", "contractEnd", "riskClass", "lastVisit", "newsletter",
)  # fmt: skip
_WORDS = (
    "account", "review", "branch", "letter", "answer", "spring", "harbour", "meeting", "invoice", "device",
    "garden", "window", "report", "travel", "winter", "market", "signal", "bridge", "orchard", "ledger",
)  # fmt: skip
_DECAYS = ("0.5/30d", "0.5/90d", "0.9/7d", None, None)


def subject_of(number: int) -> str:
    """The subject that the fact of this number is about."""
    return f"customer:{number // A_SUBJECT}"


def root_of(block: int) -> str:
    """The id of the fact on top of a block's diamonds."""
    return _id(block * BLOCK + DIAMOND - 1)


def contradicting(count: int) -> Iterator[str]:
    """The subjects among the first `count` facts whose claims contradict each other: every tenth."""
    return (subject_of(number) for number in range(9 * A_SUBJECT, count, 10 * A_SUBJECT))


def batches(first: int, end: int) -> Iterator[list[bytes]]:
    """The facts of these numbers as JSON Lines, as many at a time as the `kndl` command sends."""
    lines = (json.dumps(fact(number), separators=(",", ":")).encode() + b"\n" for number in range(first, end))
    while batch := list(islice(lines, BATCH)):
        yield batch


def fact(number: int) -> dict[str, Any]:
    """The fact of this number, as a file of a memory folder holds it."""
    chance = random.Random(number)
    subject, place = number // A_SUBJECT, number % A_SUBJECT
    recorded = _BEGINNING + timedelta(seconds=number * 47 % 70_000_000, microseconds=number % 1_000_000)
    predicate = _PREDICATES[place]
    made: dict[str, Any] = {
        "@id": _id(number),
        "@type": "Fact",
        "statement": f"Customer {subject} has the {predicate} noted in the {' '.join(chance.sample(_WORDS, 3))}",
        "subject": subject_of(number),
        "predicate": predicate,
        "object": chance.randrange(1_000),
        "confidence": round(chance.uniform(0.4, 0.99), 2),
        "source": f"https://records.example/{subject}/{place}",
        "recordedAt": recorded.isoformat(),
        "validFrom": recorded.isoformat(),
    }
    if number % BLOCK == RARE:
        made["predicate"] = RARE_PREDICATE
    decay = _DECAYS[number % len(_DECAYS)]
    if decay is not None:
        made["decay"] = decay
    if number % BLOCK < DIAMOND:
        below = _below(number)
        return made | ({"derivedFrom": below, "inference": "rule:bench"} if below else {})
    if place == 8:
        made |= {"derivedFrom": [_id(number - 8), _id(number - 7)], "inference": "rule:bench"}
    if place == 9 and subject % 10 == 9:
        # Another value of what the fact before says, which stands as well.
        made |= {"predicate": _PREDICATES[7], "object": -1, "statement": f"Customer {subject} has another riskClass"}
    elif place == 9 and subject % 2 == 0:
        # A newer value of what an older fact says, in its place.
        later = (recorded + timedelta(days=1)).isoformat()
        made |= {"predicate": _PREDICATES[4], "supersedes": _id(number - 5), "recordedAt": later, "validFrom": later}
    return made


def _below(number: int) -> list[str]:
    """What a fact among the diamonds was derived from; its place 0 is the leaf, 49 the root."""
    place = number % BLOCK
    if place == 0:
        return []
    first = number - place
    if place <= 2:
        return [_id(first)]
    layer = (place - 1) // 2
    return [_id(first + 2 * layer - 1), _id(first + 2 * layer)]


def _id(number: int) -> str:
    return f"fact:customer-{number // A_SUBJECT}-{number % A_SUBJECT}"
