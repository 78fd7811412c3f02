"""What was found and not taken, as far as a page may show it: no value of KEYS, and nothing that looks like one."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, OuterRef, Subquery

from domains import rows
from domains.models import Domain, Evidence
from domains.places import KEYS
from domains.rules import log as log_rules
from domains.secrets import secrets_in
from domains.showing_difference import Sides, sides

_AROUND = 5  # lines shown before the first at fault
_MOST_LINES = 200
_LONGEST = 2_000  # characters of a line
_SHORTEST = 4  # characters of a value; a shorter one would hide nearly every line
_HIDDEN = "(not shown: this line holds what looks like a credential)"


@dataclass(frozen=True)
class FoundContent:
    """Lines that were found, or beside the stored ones where LOG was altered; `is_cut`: there were more."""

    lines: Sequence[str] = ()
    changed: Sides | None = None
    is_cut: bool = False


def evidence_count(domain: str) -> Subquery:
    """How much was kept aside, None for nothing; `domain` names the field that refers to the domain."""
    found = Evidence.objects.filter(domain=OuterRef(domain)).order_by().values("domain")
    return Subquery(found.annotate(number=Count("pk")).values("number"))


def is_sealed(found: Evidence) -> bool:
    """Whether a page shows nothing of what was found, since it is of KEYS."""
    return found.file == KEYS


def found_content(domain: Domain, found: Evidence, content: bytes) -> FoundContent:
    """What a page shows of evidence that is not sealed."""
    known = rows.key_values(domain)
    text = content.decode("utf-8", "replace")
    if found.kind == Evidence.Kind.LOG_CHANGED:
        return _altered_log(domain, found, text, known)
    lines = text.splitlines()
    return FoundContent(_masked(lines[:_MOST_LINES], known), is_cut=len(lines) > _MOST_LINES)


def _altered_log(domain: Domain, found: Evidence, text: str, known: Sequence[str]) -> FoundContent:
    """The lines around the first that was altered, as they are stored and as they were found."""
    start = max((found.line or 1) - 1 - _AROUND, 0)
    stored, given = rows.stored_lines(domain, up_to=start + _MOST_LINES)[start:], log_rules.lines_of(text)[start:]
    changed = sides(_masked(stored, known), _masked(given[:_MOST_LINES], known), start + 1)
    return FoundContent(changed=changed, is_cut=len(given) > _MOST_LINES)


def _masked(lines: Sequence[str], known: Sequence[str]) -> list[str]:
    """The lines without those that hold a value of KEYS or what looks like one, or are of a private key."""
    hidden = {one.line for one in secrets_in("\n".join(lines))}
    values = [value for value in known if len(value) >= _SHORTEST]
    shown, in_key = [], False
    for number, line in enumerate(lines, 1):
        in_key = in_key or "-----BEGIN" in line
        is_hidden = in_key or number in hidden or any(value in line for value in values)
        shown.append(_HIDDEN if is_hidden else line[:_LONGEST])
        in_key = in_key and "-----END" not in line
    return shown
