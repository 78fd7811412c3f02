"""Words and sentences as they stand in a text; what the other files of this folder count and cut."""

import re

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
# A closing quotation or bracket belongs to the sentence it ends. Repetitions are bounded: runs of dots are common.
_SENTENCE_END = re.compile(r"[.!?…]{1,8}[\"'”’)\]*_]{0,4}(?=\s)|[。！？]{1,8}[」』”）]{0,3}|\n")
_ABBREVIATED = re.compile(
    r"(?:^|[\s(])(?:mr|mrs|ms|dr|prof|st|vs|no|approx|e\.g|i\.e|cf|bzw|z\.b|sr|sra|[a-z])\.$", re.IGNORECASE
)
_NUMBERED = re.compile(r"\s{0,8}\d{1,3}\.")
_LONGEST_ABBREVIATION = 8


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case and order; numbers are none, apostrophes inside are made straight."""
    return _WORD.findall(text.lower().replace("’", "'"))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, trimmed; line breaks end one too, and none is empty."""
    found = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        tail = text[max(start, end.end() - _LONGEST_ABBREVIATION) : end.end()]
        if _ABBREVIATED.search(tail) or _NUMBERED.fullmatch(text, start, end.end()):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def is_question(sentence: str) -> bool:
    """Tell whether a sentence ends as a question does."""
    return sentence.rstrip("\"'”’)]*_ 」』）!").endswith(("?", "？"))


def shortened(text: str, limit: int) -> str:
    """Return the text in one line of at most `limit` characters, cut at a word where there is one."""
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    head = flat[: limit - 1]
    space = head.rfind(" ", limit // 2)
    return (head[:space] if space > 0 else head).rstrip(" ,;:–—-") + "…"
