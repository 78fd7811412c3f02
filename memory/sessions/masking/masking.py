"""Secrets in a text are written over with their kind, and nothing else is changed."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memory.sessions.masking import (
    addresses,
    assignments,
    cards,
    codes,
    commands,
    cookies,
    given_as,
    headers,
    login_files,
    private_keys,
    provider_keys,
    random_runs,
    recovery,
    told,
)
from memory.sessions.masking.followups import answer_of
from memory.sessions.masking.readings import Reading, readings
from memory.sessions.masking.spans import Span, united, written_over

_FAMILIES: tuple[Callable[[Reading], Iterator[Span]], ...] = (
    private_keys.find,
    provider_keys.find,
    addresses.find,
    headers.find,
    cookies.find,
    login_files.find,
    recovery.find,
    cards.find,
    codes.find,
    commands.find,
    assignments.find,
    told.find,
    given_as.find,
    random_runs.find,
)


class Masked(NamedTuple):
    """A text without its secrets, and how many of each kind were taken out."""

    text: str
    counts: dict[str, int]


def mask(text: str) -> Masked:
    """Return the text with each secret replaced by "[secret: <kind>]", every other character as it was.

    A secret that another one hid from its rule is found in the next round, so that masking what is masked changes
    nothing. Rounds end, as each takes unmasked characters away.
    """
    counts: Counter[str] = Counter()
    while spans := united(_found(text), text):
        text = written_over(text, spans)
        counts.update(span.kind for span in spans)
    return Masked(text, dict(counts))


def has_secret(text: str) -> bool:
    """Whether anything of the text would be masked."""
    return bool(united(_found(text), text))


def mask_followup(previous: str, text: str) -> Masked:
    """Return the text masked as by `mask` and, where the line before asked for a secret, its answer masked too.

    Only a short line that consists of nothing but the answer and usual words around it counts as one.
    """
    answer = answer_of(previous, text)
    if not answer:
        return mask(text)
    spans = united([*_found(text), answer], text)
    rest = mask(written_over(text, spans))
    return Masked(rest.text, dict(Counter(rest.counts) + Counter(span.kind for span in spans)))


def _found(text: str) -> list[Span]:
    return [
        reading.in_source(span)
        for reading in readings(text)
        for family in _FAMILIES
        for span in family(reading)
        if span.end > span.start
    ]
