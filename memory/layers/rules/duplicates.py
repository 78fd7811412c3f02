"""When two texts say the same. A cosine alone calls "I paid 20" and "I paid 30" alike, and so corrects silently."""

import re
from collections.abc import Mapping
from typing import Any

NEAR = 0.9
# Stored vectors hold what stood around a text as well: from this cosine on, both own texts are compared.
WORTH_COMPARING = 0.65
COMPARED = 5

_NUMBER = re.compile(r"[0-9]+(?:[.,:][0-9]+){0,4}")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|against|[a-z]{2,8}n['’]?t"
    r"|nicht|kein(?:e[nmrs]?)?|nie|ne|pas|jamais|nunca|jam[aá]s|non)\b|不|没|ない|ません|안 |않",
    re.IGNORECASE,
)


def says_the_same(one: str, other: str) -> bool:
    """Whether two near texts agree in what a vector does not see: their numbers, negations and being a question."""
    return (
        sorted(_NUMBER.findall(one)) == sorted(_NUMBER.findall(other))
        and len(_NEGATION.findall(one)) % 2 == len(_NEGATION.findall(other)) % 2
        and _asks(one) == _asks(other)
    )


def same_occasion(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two fragments may be one by who said them and the time they tell of; from their attributes."""
    if one.get("speaker", "") != other.get("speaker", ""):
        return False
    told, told_other = one.get("spoken"), other.get("spoken")
    return not told or not told_other or told["begins"] == told_other["begins"]


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’)* ").endswith(("?", "？"))
