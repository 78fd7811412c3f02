"""Whether words are English, told by the small words that carry grammar."""

from collections.abc import Sequence

from memory.layers.distillers.extractive.lexicon import entries

_ENGLISH = entries("stop_words")
_OTHER = entries("foreign_stop_words")


def is_english(words: Sequence[str]) -> bool:
    """Tell whether words (in small letters) are English; a few that give no hint are taken to be."""
    return len(_ENGLISH.intersection(words)) >= len(_OTHER.intersection(words))
