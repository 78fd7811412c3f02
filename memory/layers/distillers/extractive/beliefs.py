"""Beliefs: what somebody says outright that they hold to be so."""

import re

from memory.layers.distillers.extractive.lexicon import entries
from memory.layers.distillers.extractive.words import is_question, sentences

_HELD = re.compile(
    r"""
    (?:\A|[,;:—–]\s|\b(?:and|but|so|because|yet)\s|\b(?:honestly|personally),?\s)
    (?:
      i(?:\ (?:firmly|truly|strongly|really|still|genuinely|honestly|do|always))?\ believe\ (?:that\ )?
    | i(?:\ (?:firmly|truly|strongly|really|genuinely|honestly))?\ think\ that\ | i\ (?:firmly|strongly)\ think\s
    | i(?:'m|\ am)\ (?:firmly\ |quite\ |absolutely\ )?convinced\ (?:that\ )?
    | in\ my\ (?:opinion|view|experience),?\ (?:that\ )? | my\ (?:view|opinion|belief|conviction)\ is\ (?:that\ )?
    )
    (?P<belief>[^.!?;\n]{8,240})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:maybe|perhaps|might|possibly|not\ sure|probably|if|whether|i\ guess|hopefully)\b", re.IGNORECASE
)
_POINTING = entries("pointing_words")
_REFERRING = re.compile(r"\b(?:it|this|that'?s|them|him|here)\b", re.IGNORECASE)
_FEWEST_WORDS = 4


def belief_in(text: str) -> str | None:
    """Return the first belief of a text, as a clause of its own that needs nothing before it, or None.

    Refused: questions, what is hedged, and what points at something outside the clause.
    """
    if not _may_hold_one(text.lower()):
        return None
    for sentence in sentences(text):
        found = None if is_question(sentence) else _HELD.search(sentence.replace("’", "'"))
        if found and not _HEDGED.search(sentence):
            belief = found["belief"].strip(" ,:—–\"'”")
            if _stands_alone(belief):
                return belief[:1].upper() + belief[1:]
    return None


def _may_hold_one(lowered: str) -> bool:
    return any(
        sign in lowered
        for sign in ("believe", "think that", "ly think", "convinced", "in my ", "my view", "my opinion")
    )


def _stands_alone(belief: str) -> bool:
    words = belief.lower().split()
    return len(words) >= _FEWEST_WORDS and words[0].strip(",") not in _POINTING and not _REFERRING.search(belief)
