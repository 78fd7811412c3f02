"""Names gathered over the passages of a batch, each with all it was seen with."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from memory.layers.distillers.extractive.language import is_english
from memory.layers.distillers.extractive.lexicon import lower_entries
from memory.layers.distillers.extractive.passages import Passage
from memory.layers.distillers.extractive.sightings import Sighting, prose_of, sightings

_SMALL_WORD = re.compile(r"\b[a-zß-öø-ÿ]{2,40}\b(?!['’])")
_HEADLINE_SHARE = 0.6
_HEADLINE_WORDS = 4


@dataclass(slots=True)
class Candidate:
    """A name in small letters, its spellings, the fragments that hold it, and where it was seen.

    `evidence` are its sightings in English conversation, `foreign` those in other languages, where less can be told;
    `telling` are the fragments of conversation that hold it.
    """

    lower: str
    spellings: Counter[str] = field(default_factory=Counter)
    fragments: dict[str, None] = field(default_factory=dict)
    evidence: list[Sighting] = field(default_factory=list)
    foreign: list[Sighting] = field(default_factory=list)
    telling: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """The spelling seen most, of equals the one that comes first in the alphabet."""
        return min(self.spellings, key=lambda spelling: (-self.spellings[spelling], spelling))

    @property
    def words(self) -> list[str]:
        """The words of the name, in small letters."""
        return self.lower.split(" ")


class SmallWords:
    """The words of a batch as they occur without a capital, by which an ordinary word is told from a name."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.counts: Counter[str] = Counter()
        for text in texts:
            self.counts.update(_SMALL_WORD.findall(text))
        self._ordinary = lower_entries("ordinary_words")

    def is_ordinary(self, word: str, capitalised: int) -> bool:
        """Tell whether a word is as common in small letters as it was seen `capitalised` times, or always so."""
        return word in self._ordinary or self.counts[word] >= max(capitalised, 1)


def candidates(passages: Sequence[Passage], small: SmallWords) -> dict[str, Candidate]:
    """Return every capitalised name of the passages by its small letters.

    Tool output is not read. Long exposition and headlines only tell that a name occurs.
    """
    found: dict[str, Candidate] = {}
    for passage in passages:
        if passage.line.role in {"tool", "system"}:
            continue
        prose = prose_of(passage.said)
        seen = list(sightings(prose))
        if not seen:
            continue
        counts = passage.tells and not _is_headline(seen, passage.words)
        english = counts and is_english(passage.words)
        for sighting in (_trimmed(sighting, small) for sighting in seen):
            candidate = _noted(found, sighting, passage)
            if counts:
                (candidate.evidence if english else candidate.foreign).append(sighting)
    return found


def _noted(found: dict[str, Candidate], sighting: Sighting, passage: Passage) -> Candidate:
    lower = sighting.name.lower()
    candidate = found.setdefault(lower, Candidate(lower))
    candidate.spellings[sighting.name] += 1
    candidate.fragments[passage.fragment.key] = None
    if passage.tells:
        candidate.telling.add(passage.fragment.key)
    return candidate


def _trimmed(sighting: Sighting, small: SmallWords) -> Sighting:
    """Take the ordinary word off that a sentence begins with: "Met Ana", "Saw Ben"."""
    first, space, rest = sighting.name.partition(" ")
    starts = space and sighting.before.rstrip(" \"'“‘(*_")[-1:] in {"", ".", "!", "?", "\n", "…", ":"}
    if not starts or not small.is_ordinary(first.lower(), 1):
        return sighting
    return replace(sighting, name=rest, inside=True, before=f"{sighting.before}{first.lower()} ")


def _is_headline(seen: Sequence[Sighting], words: Sequence[str]) -> bool:
    """Tell a line in which nearly everything is capitalised, so that no capital means anything."""
    capitalised = sum(sighting.name.count(" ") + 1 for sighting in seen)
    return len(words) >= _HEADLINE_WORDS and capitalised > _HEADLINE_SHARE * len(words)
