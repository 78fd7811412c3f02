"""What a query asks for: its terms and their weight, who it names, whether it asks for a time or a number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from common.text import lexemes
from memory.layers.rules.spoken import Period, mentioned_periods
from memory.recall.rules.stopwords import is_stop_word, terms, words_of

NAME_WEIGHT = 0.5
# In characters; what a longer query says beyond it would only dilute the rest.
LONGEST = 4_000
# In words.
_LONGEST_NAME = 4
# Names written without spaces around them stand inside longer runs.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")

_ASKS_TIME = re.compile(
    r"\b(?:when|how (?:long|recently)|(?:what|which) (?:date|day|week|month|season|year|time)"
    r"|wann|wie lange|quand|cu[aá]ndo|quando)\b|いつ|何時|何日|什么时候|何时|几点|언제",
    re.IGNORECASE,
)
_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|often|much|old|far|tall|big)|what (?:number|percentage|price|amount)"
    r"|wie (?:viele?|oft|alt)|combien|cu[aá]nt[oa]s?|quant[oiae]s?)\b|いくつ|いくら|何[人回個歳]|多少|几[个次岁]|몇",
    re.IGNORECASE,
)
_TIME_WORD = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|ago|recently|lately|just now"
    r"|(?:last|next|this|past) (?:week(?:end)?|month|year|night|spring|summer|autumn|fall|winter)"
    r"|(?:hour|day|week|month|year)s?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|january|february|april|june|july|august|september|october|november|december"
    r"|(?:in|last|next|since|until) (?:may|march)|(?:19|20)[0-9]{2}|[0-9]{1,2}(?:st|nd|rd|th)"
    r"|gestern|heute|morgen|hier|aujourd'hui|demain|ayer|hoy|mañana)\b"
    r"|[0-9]{1,2}[月日时時]|昨天|今天|明天|昨日|今日|明日",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"[0-9]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|once|twice|couple"
    r"|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|deux|trois|quatre|cinq|dos|tres|cuatro|cinco)\b|[一二三四五六七八九十百千]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Query:
    """A query as recall uses it.

    `terms` maps lexemes to weights above 0. `words` maps those of them that may be expanded (names may not) to the
    lower-case word each comes from. `speakers` are the canonical names of the scope's speakers it names, in order.
    """

    text: str
    terms: dict[str, float]
    words: dict[str, str] = field(default_factory=dict)
    speakers: tuple[str, ...] = ()
    asks_time: bool = False
    asks_number: bool = False
    periods: tuple[Period, ...] = ()


def read_query(text: str, known_names: Mapping[str, str]) -> Query:
    """Read a query; the part beyond 4,000 characters is left out.

    `known_names` maps the lower-case first names and full names of a scope's speakers to the name that their lines
    carry. Leave "user" and "assistant" out of it: in a query they are words.
    """
    text = text[:LONGEST]
    words = words_of(text)
    named = _named(text, words, known_names)
    names = {lexeme for name in named for lexeme in lexemes(name)}
    found: dict[str, float] = {}
    alone: dict[str, str] = {}
    for word in dict.fromkeys(words):
        of_word = terms(word)
        found |= {lexeme: NAME_WEIGHT if lexeme in names else 1.0 for lexeme in of_word}
        if len(of_word) == 1 and of_word[0] not in names:
            alone.setdefault(of_word[0], word.removesuffix("'s"))
    return Query(
        text=text,
        terms=found,
        words=alone,
        speakers=tuple(dict.fromkeys(known_names[name] for name in named)),
        asks_time=bool(_ASKS_TIME.search(text)),
        asks_number=bool(_ASKS_NUMBER.search(text)),
        periods=tuple(mentioned_periods(text)),
    )


def holds_time_word(text: str) -> bool:
    """Tell whether a text says when: a day, a month, a year, a span, "last week"…"""
    return bool(_TIME_WORD.search(text))


def holds_number(text: str) -> bool:
    """Tell whether a text holds a number, in digits or as a word from two on."""
    return bool(_NUMBER.search(text))


def _named(text: str, words: list[str], known_names: Mapping[str, str]) -> list[str]:
    """Return the known names that the query holds: the longest that begins at each word, then those without spaces."""
    bare = [word.removesuffix("'s") for word in words]
    found, at = [], 0
    while at < len(bare):
        for length in range(min(_LONGEST_NAME, len(bare) - at), 0, -1):
            name = " ".join(bare[at : at + length])
            if name in known_names and (not is_stop_word(name) or f" {name.capitalize()}" in text):
                found.append(name)
                at += length - 1
                break
        at += 1
    lowered = text.lower()
    return found + [name for name in known_names if _UNSPACED.search(name) and name in lowered and name not in found]
