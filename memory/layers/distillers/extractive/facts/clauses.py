"""From a line to the clauses in which its speaker states something."""

import re
from collections.abc import Iterator

from memory.layers.distillers.extractive.facts.found import Clause
from memory.layers.distillers.extractive.units import texts_of
from memory.layers.rules.proposals import Line
from memory.layers.rules.spoken.vocabulary import MONTHS, SEASONS, WEEKDAYS

LONGEST_CLAUSE = 400
NOBODY = "user"

_QUOTED_LINE = re.compile(r"^[ \t]{0,8}(?:>|\||\$ |>>>|#!|diff |@@).{0,2000}$", re.MULTILINE)
_INLINE_CODE = re.compile(r"`([^`\n]{1,300})`")
_QUOTED = re.compile(r"[\"“”„«]([^\"“”„«»\n]{0,1000})[\"“”»]")
_SHARED = re.compile(r"\[[^\]\n]{0,500}\]")
_SPOKEN_BY_SOMEBODY = re.compile(r"\b(?:i|i['’]\w+|my|me|we|our)\b", re.IGNORECASE)
_NAME_OF_A_TOOL = re.compile(r"[A-Za-z][\w.+#-]{0,30}(?: [\w.]{1,10})?")
_LONGEST_TITLE = 60
REMOVED = "\ufffc"
_OPENING = 2

# The words and signs of which each pattern needs one.
MAY_STATE = re.compile(
    r"\b(?:i|im|i['’](?:m|ve|ll)|we|we['’](?:re|ve|ll)|my|call me)\b|\bdue\b|\bdeadline|\bscheduled|[0-9] ?(?:°|%"
    r"|[a-z$€£])|[$€£¥][0-9]|(?:USD|EUR|GBP|CHF) [0-9]",
    re.IGNORECASE,
)

_SENTENCE = re.compile(r"[^.!?\n…]{1,2000}(?:[.](?=\w)[^.!?\n…]{0,2000}){0,40}[.!?…]{0,4}")
_SOMEBODY = r"(?:i|we|my|it|this|that|there|he|she|they|you|the|our|[a-z]{1,5}['’][a-z]{1,2})\b"
_APART = re.compile(
    r"\s*;\s+|\s+[-–—]{1,3}\s+|—|,?\s+(?:but|because|['’]cause|cuz|although|though|whereas)\s+"
    rf"|,?\s+(?:so|while|yet)\s+(?={_SOMEBODY})"
    r"|,?\s+and\s+(?=(?:i|we|my|[iw]e?['’]\w{1,2})\b)|,\s+(?=(?:i|we|my|[iw]e?['’]\w{1,2})\b)",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|evening|afternoon)|greetings|nice to meet you)\b", re.IGNORECASE
)
_WHEN = (
    r"(?:yesterday|today|tonight|tomorrow|last night|(?:last|this|next|every) (?!time|one|thing|way)\w{3,12}|(?:an?"
    r"|one|two|three|four|five|a few|a couple of|several|[0-9]{1,3}) (?:day|week|month|year)s? ago|(?:in|since|on|by"
    r"|back in) (?:(?:early|late|mid|the) )?(?:[0-9]{4}|(?:last|past|next) \w{3,12}(?: \w{3,12})?"
    rf"|{'|'.join(MONTHS)}|{'|'.join(WEEKDAYS)}|{'|'.join(SEASONS)})(?: [0-9]{{1,4}})?"
    r"|these days|nowadays|right now|at the moment|for now|from now on|recently|lately|currently|now)"
)
_LEAD = re.compile(
    r"(?:(?:and|but|so|well|yeah|yep|yes|no|nope|oh|ok|okay|ah|aw|wow|hey|hi|hello|also|actually|honestly|personally"
    r"|btw|fyi|by the way|to be honest|tbh|fun fact|anyway|anyways|plus|sure|true|thanks|thank you|cool|great|nice"
    r"|right"
    rf"|of course|indeed|that['’]s why|that is why|update|note|remember|decision|in general|generally"
    rf"|{_WHEN})\b[,:!.]? {{0,2}}){{0,4}}",
    re.IGNORECASE,
)
_ONLY_WHEN = re.compile(rf"{_WHEN}(?: {_WHEN})?", re.IGNORECASE)


def clauses(line: Line) -> Iterator[Clause]:
    """Yield the clauses of a line in which something may be stated, in order.

    Code, quotes and pictures shared are left out. Of a question only what comes before its last comma is read.
    """
    text = _in_own_words(line)
    greeted = _GREETING.match(text.lstrip()) is not None
    for place, found in enumerate(_SENTENCE.finditer(text)):
        sentence = found[0].strip()
        if not MAY_STATE.search(sentence):
            continue
        stated = sentence.rpartition(",")[0] if sentence.endswith("?") else sentence
        for piece in _pieces(stated):
            if len(piece) <= LONGEST_CLAUSE:
                body = piece[_lead_of(piece) :]
                yield Clause(piece, body, sentence, line.speaker or NOBODY, line.at, greeted and place < _OPENING)


def _in_own_words(line: Line) -> str:
    text = _QUOTED_LINE.sub("", "\n".join(texts_of(line)))
    text = _INLINE_CODE.sub(lambda found: found[1] if _NAME_OF_A_TOOL.fullmatch(found[1]) else REMOVED, text)
    return _SHARED.sub("", _QUOTED.sub(_title, text))


def _title(found: re.Match[str]) -> str:
    """The words of a quoted title; what may be somebody's speech is taken out."""
    words = found[1].strip()
    is_title = len(words) <= _LONGEST_TITLE and words[:1].isupper() and not re.search(r"[.!?,;]", words)
    return words if is_title and not _SPOKEN_BY_SOMEBODY.search(words) else REMOVED


def _pieces(sentence: str) -> Iterator[str]:
    """Split a sentence into clauses; a time that stands before a comma stays with what follows it."""
    before = ""
    for piece in _APART.split(sentence):
        piece = piece.strip().rstrip(",")
        if not piece:
            continue
        if _ONLY_WHEN.fullmatch(piece):
            before = piece + ", "
            continue
        yield before + piece
        before = ""


def _lead_of(piece: str) -> int:
    found = _LEAD.match(piece)
    return found.end() if found else 0
