"""Titles of episodes: the words that tell them apart, who spoke, and the day."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from memory.layers.distillers.extractive.passages import Passage
from memory.layers.distillers.extractive.vocabulary import Vocabulary

_TOPICS = 3
_MOST_SPEAKERS = 3
_LONGEST_WORD = 40
_SENTENCE_ENDS = frozenset('.!?…:\n"“(*•-')


def title_of(passages: Sequence[Passage], begins: datetime, vocabulary: Vocabulary) -> str:
    """Return "Rent, landlord, balcony · Ana and Ben · 2026-05-03", the day in the time zone of `begins`."""
    speakers = [passage.line.speaker for passage in passages if passage.line.role not in {"tool", "system"}]
    topic = ", ".join(_topics(passages, vocabulary))
    parts = (topic[:1].upper() + topic[1:], _listed(speakers), begins.date().isoformat())
    return " · ".join(part for part in parts if part)


def _topics(passages: Sequence[Passage], vocabulary: Vocabulary) -> list[str]:
    """Return the three stems with the highest tf·idf, each in the form met most, spelt as it is inside a sentence."""
    spoken = [passage for passage in passages if passage.line.role != "tool"]
    counts = Counter(word for passage in spoken or passages for word in passage.words)
    forms: dict[str, list[tuple[int, str]]] = {}
    for word, times in counts.items():
        for stem in vocabulary.stems(word):
            forms.setdefault(stem, []).append((-times, _form(word, stem)))
    scores = {stem: vocabulary.weight(stem) * sum(times for times, _ in spelt) for stem, spelt in forms.items()}
    ranked = sorted(scores.items(), key=lambda score: (score[1], -len(score[0]), score[0]))
    commonest = [min(forms[stem])[1] for stem, _ in ranked[:_TOPICS]]
    return [_spelling(form, passages)[:_LONGEST_WORD] for form in commonest]


def _form(word: str, stem: str) -> str:
    if len(stem) < len(word) and stem in word and not word.isascii():
        return stem  # a part of unspaced writing, where nothing else bounds a word
    return word.removesuffix("'s")


def _spelling(form: str, passages: Iterable[Passage]) -> str:
    """Return a word in small letters as it is spelt where no sentence begins with it, else as it is."""
    for passage in passages:
        place = passage.said.lower().find(form)
        before = passage.said[:place].rstrip(" ")[-1:] if place > 0 else ""
        if before and before not in _SENTENCE_ENDS and not passage.said[place - 1].isalnum():
            return passage.said[place : place + len(form)]
    return form


def _listed(speakers: Sequence[str]) -> str:
    names = list(dict.fromkeys(speaker for speaker in speakers if speaker))
    if len(names) > _MOST_SPEAKERS:
        return f"{', '.join(names[:_MOST_SPEAKERS])} and others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
