"""LOG.md: one line a change, `YYYY-MM-DD · project · change`; what is stored can only grow."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

from domains.rules.characters import is_turning

SEPARATOR = " · "
LONGEST = 1_000  # characters of a change
FIRST_YEAR = 1970
MOST_BYTES = 4_096  # of a line that is looked at
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LINE_ENDS = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")


class BadLine(ValueError):
    """A line that is not taken; `part` is `line`, `date`, `project` or `change`, the message ends its sentence."""

    def __init__(self, part: str, reason: str) -> None:
        super().__init__(reason)
        self.part = part


@dataclass(frozen=True)
class Line:
    """One change."""

    day: date
    project: str
    change: str

    def __str__(self) -> str:
        return f"{self.day.isoformat()}{SEPARATOR}{self.project}{SEPARATOR}{self.change}"


def parsed(text: str) -> Line:
    """The change that a line states. Raises BadLine; whether the day has come and the project is a member: `check`."""
    parts = text.split(SEPARATOR, 2)
    if len(parts) != 3:
        raise BadLine("line", "must be written YYYY-MM-DD · project · change")
    return Line(parsed_day(parts[0]), parts[1], checked_change(parts[2]))


def parsed_day(text: str) -> date:
    """The day. Raises BadLine for another form or a day that no calendar has."""
    if _DAY.fullmatch(text) is None:
        raise BadLine("date", "must be a day written YYYY-MM-DD")
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadLine("date", "must be a day that exists") from None


def checked_change(text: str) -> str:
    """`text` if it can be a change: one visible line. Raises BadLine."""
    if not 1 <= len(text) <= LONGEST:
        raise BadLine("change", f"must have 1 to {LONGEST:,} characters")
    if any(letter in _LINE_ENDS for letter in text):
        raise BadLine("change", "must be one line")
    if any(unicodedata.category(letter) in {"Cc", "Cs"} or is_turning(letter) for letter in text):
        raise BadLine("change", "must not hold control characters or ones that turn text")
    if text != text.strip() or not any(unicodedata.category(letter)[0] in "LNPS" for letter in text):
        raise BadLine("change", "must begin and end with a visible character")
    return text


def check(line: Line, today: Callable[[str], date | None]) -> None:
    """Raise BadLine for a project that is no member, a day to come or one before 1970.

    `today` tells the present day where a member project is, and None for a name that is no live member's.
    """
    present = today(line.project)
    if present is None:
        raise BadLine("project", "must be a member of the domain")
    if line.day.year < FIRST_YEAR:
        raise BadLine("date", f"must not lie before {FIRST_YEAR}")
    if line.day > present:
        raise BadLine("date", "must not lie in the future")


@dataclass(frozen=True)
class Comparison:
    """A file against what is stored. Numbers of lines count from 1; `appended` holds what follows the stored lines.

    `changed` is the first stored line that is not there as it was, with what happened to it; None where all are.
    """

    appended: tuple[str, ...]
    changed: int | None = None
    what: str = ""


def compared(found: Sequence[str], stored: Sequence[str], on_disk: int) -> Comparison:
    """Compare the lines of a file with the stored ones, of which the first `on_disk` were in the file last time.

    Lines that were stored since then need not be there yet. Where a stored line was changed, what follows the last
    stored line, or what goes beyond as many lines, counts as appended.
    """
    known = list(stored[:on_disk])
    later = list(stored[on_disk:])
    first = next((i for i, line in enumerate(known) if i >= len(found) or found[i] != line), None)
    if first is None:
        return Comparison(_new(found[on_disk:], later))
    what = "removed" if first >= len(found) or len(found) < len(known) else "changed"
    last = known[-1]
    beyond = found[on_disk:]
    if last in found:
        beyond = found[len(found) - list(reversed(found)).index(last) :]
    return Comparison(_new(beyond, later), first + 1, what)


def _new(found: Sequence[str], later: list[str]) -> tuple[str, ...]:
    """Those that are not among the lines stored since, each of which stands for one."""
    left = list(later)
    new = []
    for line in found:
        if line in left:
            left.remove(line)
        else:
            new.append(line)
    return tuple(new)


def lines_of(content: str) -> list[str]:
    """The lines of a file, without their ends and the spaces before these; empty ones are left out."""
    return [bare for line in content.split("\n") if (bare := line.rstrip("\r\t "))]


def written(lines: Sequence[str]) -> str:
    """The file that holds these lines."""
    return "".join(f"{line}\n" for line in lines)
