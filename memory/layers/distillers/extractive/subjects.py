"""Subjects: fields of life or work that a conversation comes back to, told by the words that belong to them."""

from collections.abc import Iterable

from memory.layers.distillers.extractive.lexicon import headings_by_entry
from memory.layers.distillers.extractive.passages import Passage

_ENOUGH_FRAGMENTS = 3
_ENOUGH_WORDS = 3


def subjects(passages: Iterable[Passage], known: frozenset[str]) -> dict[str, list[str]]:
    """Return each subject with the fragments that touch it.

    A subject shows in three fragments at least and by three different words, so that no single word makes one;
    one fragment will do for the `known` ones.
    """
    subject_of = headings_by_entry("subjects")
    words: dict[str, set[str]] = {}
    fragments: dict[str, dict[str, None]] = {}
    for passage in passages:
        if passage.line.role in {"tool", "system"}:
            continue
        for word in subject_of.keys() & set(passage.words):
            subject = subject_of[word]
            fragments.setdefault(subject, {})[passage.fragment.key] = None
            words.setdefault(subject, set()).add(word)
    return {
        subject: list(keys)
        for subject, keys in sorted(fragments.items())
        if subject in known or (len(keys) >= _ENOUGH_FRAGMENTS and len(words[subject]) >= _ENOUGH_WORDS)
    }
