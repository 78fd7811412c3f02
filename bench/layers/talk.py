"""Conversations that nobody ever had, for measuring. The same numbers always make the same conversation.

Two people take turns. A line is one or two sentences, each a frame of plain English around made-up words. One line in
thirty is a mere politeness, one in eight a question, and about one in 25 decides, promises, prefers or tells of a
friend, between what was counted in small talk (a fact in 44 lines) and in talk with an assistant (in 13).
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from bench.layers.vocabulary import vocabulary

A_SESSION = 250
_BEGINNING = datetime(2025, 3, 3, 8, tzinfo=UTC)
_BETWEEN_SESSIONS = timedelta(days=1, minutes=13)
_BETWEEN_LINES = timedelta(seconds=40)
_FRAMES = (
    "The {adjective} {noun} was {verb} before anyone looked at the {noun}",
    "We {verb} the {noun} near the {noun} and it went well",
    "{name} {verb} a {noun} for the {adjective} {noun}",
    "I {verb} my {noun} {time} and the {noun} still works",
    "There is a {noun} behind the {adjective} {noun} that {name} {verb}",
    "After the {noun} we talked about the {noun} and the {noun}",
    "My {adjective} {noun} needs {number} more pieces of {noun}",
    "{name} told me that the {noun} costs {number} and the {noun} is free",
    "It took us {number} hours to get the {noun} from the {noun}",
    "The {noun} group {verb} {number} of them {time}",
    "Nobody had seen such a {adjective} {noun} until {name} {verb} it",
    "I keep the {noun} in a {adjective} box beside the {noun}",
    "They {verb} the old {noun} and painted the {noun} {adjective}",
    "When it rains the {noun} gets {adjective}, so we cover the {noun}",
    "I met {name} at the {noun} {time}",
    "Our {noun} runs on {noun} and a bit of {adjective} {noun}",
    "The {noun} failed because the {noun} was {adjective}",
    "{name} is teaching a class on {noun} and {noun}",
    "We finished the {noun}, and the {adjective} part was the {noun}",
    "I read a book about {noun} and {verb} half of it {time}",
)
_TELLING = (
    "I decided to use the {noun} for the {noun}",
    "I prefer {noun} over {noun}",
    "I will send the {noun} to {name} by Friday",
    "My friend {name} works with {noun}",
)
_QUESTIONS = (
    "Did {name} ever bring the {noun} back?",
    "What happened to the {adjective} {noun}?",
    "How many {noun} did you have {time}?",
    "Where do you keep the {noun}?",
)
_POLITE = ("Thanks a lot!", "Sounds good.", "Haha, yes!", "Good morning!", "You're welcome.")
_TIMES = ("yesterday", "last week", "two days ago", "on Monday", "last summer", "this morning", "in May", "last year")
_SLOT = re.compile(r"\{([a-z]{4,9})\}")


class Said(NamedTuple):
    """A line: who said what, and when (UTC)."""

    role: str
    speaker: str
    text: str
    at: datetime


def conversation(book: int, number: int, lines: int = A_SESSION) -> list[Said]:
    """The lines of one session of a book. The two who talk are the same in the whole book."""
    chance = np.random.default_rng([book, number])
    began = _BEGINNING + number * _BETWEEN_SESSIONS
    pair = list(zip(("user", "assistant"), speakers_of(book), strict=True))
    fill = _filling(chance)
    return [Said(*pair[index % 2], _text(chance, fill), began + index * _BETWEEN_LINES) for index in range(lines)]


def speakers_of(book: int) -> tuple[str, str]:
    """The two who talk in a book."""
    names = vocabulary().names.listed
    return names[2 * book % len(names)], names[(2 * book + 1) % len(names)]


def _text(chance: np.random.Generator, fill: dict[str, Iterator[str]]) -> str:
    kind = chance.random()
    if kind < 1 / 30:
        return str(chance.choice(_POLITE))
    sentences = [_filled(_frame(chance), fill) + "." for _ in range(1 + (kind < 0.6))]
    if kind > 1 - 1 / 8:
        sentences.append(_filled(_QUESTIONS[chance.integers(len(_QUESTIONS))], fill))
    return " ".join(sentences)


def _frame(chance: np.random.Generator) -> str:
    frames = _TELLING if chance.random() < 1 / 40 else _FRAMES
    return frames[chance.integers(len(frames))]


def _filled(frame: str, fill: dict[str, Iterator[str]]) -> str:
    return _SLOT.sub(lambda slot: next(fill[slot[1]]), frame)


def _filling(chance: np.random.Generator) -> dict[str, Iterator[str]]:
    """For each slot of a frame what comes next in it."""
    words = vocabulary()
    return {
        "noun": words.nouns.drawn(chance),
        "verb": words.verbs.drawn(chance),
        "adjective": words.adjectives.drawn(chance),
        "name": words.names.drawn(chance),
        "number": (str(number) for number in iter(lambda: int(chance.integers(2, 500)), None)),
        "time": (_TIMES[place] for place in iter(lambda: int(chance.integers(len(_TIMES))), None)),
    }
