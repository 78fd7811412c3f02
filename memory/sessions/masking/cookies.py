"""Cookies: in headers, in scripts and given to commands."""

import re
from collections.abc import Iterator

from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span

_COOKIE = re.compile(
    r"(?<![\w-])(?P<set>[Ss]et-)?[Cc](?:ookie|OOKIE)2?[\"']?\s{0,2}[:=]\s{0,3}[\"'`]?"
    r"(?P<value>[\w.$!#%&*+^|~-]{1,80}=[^\n\"'`;\ufffc]{1,4096}(?:;[^\n\"'`\ufffc]{0,4096})?)"
)
_FLAG = re.compile(r"-(?<!\S-)(?:-cookie|b)[ =][\"']?(?P<value>[\w.-]{1,80}=[^\n\"'\ufffc]{1,4096})")
_FIRST_VALUE = re.compile(r"[^=;]{1,80}=(?P<value>[^;]{1,4096})")


def find(reading: Reading) -> Iterator[Span]:
    """Yield all the pairs of a Cookie header, and the value alone of a Set-Cookie header."""
    text = reading.text
    if "cookie" in reading.lower:
        for found in _COOKIE.finditer(text):
            first = _FIRST_VALUE.match(text, found.start("value"), found.end("value"))
            chosen, part = (first, "value") if found["set"] and first else (found, "value")
            yield Span(*chosen.span(part), "cookie")
    if "curl" in reading.lower:
        for found in _FLAG.finditer(text):
            yield Span(*found.span("value"), "cookie")
