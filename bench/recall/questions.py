"""Questions to memory: each made of a few words of one line, so that it is known what ought to be found."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from bench.layers.space import Seated, Store
from bench.layers.talk import A_SESSION, Said, conversation
from bench.layers.vocabulary import vocabulary
from bench.recall.kinds import COMMON_WORDS, ONE_SCOPE, RANDOM_SCOPES
from memory.recall.rules.stopwords import is_stop_word, words_of

_TAKEN = 4
_SHORTEST = 4
_COMMONEST = 20


@dataclass(frozen=True)
class Question:
    """A question to one scope. `expected` is the text of the line it is about; empty where it is about none."""

    text: str
    asked_of: Seated
    expected: str = ""


def questions(store: Store, rounds: int) -> dict[str, list[Question]]:
    """The questions of a run by their kind, the same ones each time."""
    chance = random.Random(rounds)
    scopes = chance.choices(store.scopes, k=rounds)
    return {
        RANDOM_SCOPES: [_of_memory(chance, one, store.a_scope) for one in scopes],
        ONE_SCOPE: [_of_memory(chance, store.scopes[0], store.a_scope) for _ in range(rounds)],
        COMMON_WORDS: [_of_common_words(chance, one) for one in scopes],
    }


def _of_memory(chance: random.Random, asked_of: Seated, fragments: int) -> Question:
    for line in _lines(chance, asked_of.book, fragments):
        words = _telling(line.text)
        if len(words) >= _TAKEN:
            one, two, three, four = chance.sample(words, _TAKEN)
            return Question(f"What did {line.speaker} say about {one}, {two}, {three} and {four}?", asked_of, line.text)
    raise AssertionError("a book has lines without end to choose from")


def _telling(text: str) -> list[str]:
    """The words of a text that say something, each once."""
    return [word for word in dict.fromkeys(words_of(text)) if len(word) >= _SHORTEST and not is_stop_word(word)]


def _lines(chance: random.Random, book: int, fragments: int) -> Iterator[Said]:
    while True:
        place = chance.randrange(fragments)
        session = place // A_SESSION
        lines = conversation(book, session, min(A_SESSION, fragments - session * A_SESSION))
        yield lines[place % A_SESSION]


def _of_common_words(chance: random.Random, asked_of: Seated) -> Question:
    words = vocabulary()
    nouns = chance.sample(list(words.nouns.listed[:_COMMONEST]), 2)
    adjective = chance.choice(words.adjectives.listed[:_COMMONEST])
    return Question(f"How often did the {adjective} {nouns[0]} go with the {nouns[1]}?", asked_of)
