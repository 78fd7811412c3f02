"""CONTEXT.md: a snapshot of what holds now. What a machine can tell of the record rules."""

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from domains.rules.characters import is_turning
from domains.rules.credentials import credentials

LARGEST = 16 * 1024  # bytes of UTF-8
LARGE = LARGEST * 4 // 5
"""From this size on the writer is warned."""

_DATE = re.compile(
    r"\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}"
    r"|\d{1,2}\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d{4})\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:changed|updated|added|removed|renamed|moved|switched|introduced|deprecated|migrated|since|as of)\b",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:previously|formerly|used to (?:be|have)|no longer|in the past|earlier versions?|was (?:changed|renamed|moved"
    r"|replaced)|were (?:changed|renamed|moved|replaced)|has been (?:changed|renamed|moved|replaced))\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"^\s{0,3}(?:#{1,6}\s*)(?:change ?log|history|log of changes|what changed|revisions?)\b", re.IGNORECASE
)


class Refused(ValueError):
    """A text that is not taken. `kind` is `too_large`, `credentials` or `characters`; the message ends a sentence."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@dataclass(frozen=True)
class Warning:
    """Something that the record rules would have otherwise; `line` counts from 1, 0 is the whole text."""

    line: int
    said: str


def tidied(text: str) -> str:
    """The text with its lines ended by "\\n", and one at its end unless it is empty."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    bare = lines.rstrip("\n")
    return f"{bare}\n" if bare else ""


def check(text: str, known: Iterable[str] = (), finders: Sequence[Callable[[str], bool]] = ()) -> None:
    """Raise Refused for a text that is too large, holds characters nobody sees, or a credential.

    `known` holds the values of KEYS.md; each of `finders` tells whether it finds a secret in a text. Nothing of what
    was found is in the message.
    """
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > LARGEST:
        raise Refused("too_large", f"must have {LARGEST:,} bytes or fewer; it has {size:,}")
    for number, line in enumerate(text.split("\n"), 1):
        if any(_is_refused(letter) for letter in line):
            raise Refused("characters", f"must not hold control characters or ones that turn text; line {number} does")
    found = credentials(text, known, finders)
    if found:
        first = found[0]
        said = f"must not hold credentials, which belong into KEYS.md; line {first.line} has {first.what}"
        raise Refused("credentials", said)


def warnings(text: str) -> list[Warning]:
    """Where the text seems to tell history or dates of change, and whether it grows near the limit."""
    found = []
    size = len(text.encode())
    if size > LARGE:
        found.append(Warning(0, f"It has {size:,} of at most {LARGEST:,} bytes: shorten it soon."))
    for number, line in enumerate(text.split("\n"), 1):
        if _HISTORY.search(line):
            found.append(Warning(number, "This looks like a history: what changed belongs into LOG.md."))
        elif _DATE.search(line) and _CHANGE.search(line):
            found.append(Warning(number, "This looks like the date of a change: it belongs into LOG.md."))
        elif _PAST.search(line):
            found.append(Warning(number, "This tells what was: state what is true now."))
    return found


def drops_half(before: str, after: str) -> bool:
    """Whether less than half of the text, in characters that are no space, is left of `before`."""
    return 2 * _weight(after) < _weight(before)


def difference(before: str, after: str, names: tuple[str, str]) -> str:
    """What changed, as a unified diff; empty where nothing did."""
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), *names, n=3)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _weight(text: str) -> int:
    return sum(not letter.isspace() for letter in text)


def _is_refused(letter: str) -> bool:
    return (
        (letter < " " and letter != "\t")
        or "\x7f" <= letter <= "\x9f"
        or "\ud800" <= letter <= "\udfff"
        or is_turning(letter)
    )
