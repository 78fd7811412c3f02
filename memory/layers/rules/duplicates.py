"""When two texts say the same. A cosine alone calls "I paid 20" and "I paid 30" alike, and so corrects silently."""

import re
from collections.abc import Mapping
from typing import Any

from memory.recall.rules.stopwords import is_stop_word

NEAR = 0.9
# Stored vectors hold what stood around a text as well: from this cosine on, both own texts are compared.
WORTH_COMPARING = 0.65
COMPARED = 5

_NUMBER = re.compile(
    r"\d{1,40}(?:[.,:]\d{1,40}){0,4}|[〇一二三四五六七八九十百千万]"
    r"|\b(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|once|twice"
    r"|first|second|third|fourth|fifth)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|against"
    r"|(?:do|does|did|is|was|are|were|wo|ca|could|would|should|has|have|had|ai|must|need|might|sha)n['’]?t"
    r"|nicht|nichts|niemand|niemals|kein(?:e[nmrs]?)?|nie|ne|pas|jamais|nunca|nada|jam[aá]s|non|não|nem)\b"
    r"|[不没沒未]|ない|ません|안 |않|못",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


def says_the_same(one: str, other: str) -> bool:
    """Whether two near texts agree in what a vector hardly sees: numbers, negations, names, and being a question."""
    return (
        _asks(one) == _asks(other)
        and _numbers(one) == _numbers(other)
        and len(_NEGATION.findall(one)) == len(_NEGATION.findall(other))
        and _names_stand_in(one, other)
        and _names_stand_in(other, one)
    )


def same_occasion(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two fragments may be one by who said them and the time they tell of; from their attributes."""
    if one.get("speaker", "") != other.get("speaker", ""):
        return False
    told, told_other = one.get("spoken"), other.get("spoken")
    return not told or not told_other or told["begins"] == told_other["begins"]


def _numbers(text: str) -> list[str]:
    return sorted(number.lower() for number in _NUMBER.findall(text))


def _names_stand_in(one: str, other: str) -> bool:
    """Whether every word that `one` writes with a capital stands in `other`, with one or without."""
    there = {word.casefold() for word in _WORD.findall(other)}
    return all(
        word.casefold() in there for word in _WORD.findall(one) if word[0].isupper() and not is_stop_word(word.lower())
    )


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’)* ").endswith(("?", "？"))
