"""Values of files that others wrote, brought into a form that can be kept; nothing here raises for a strange one."""

import json
import math
import re
from datetime import UTC, datetime
from typing import Any

LONGEST_TOOL_TEXT = 4_000
_LONGEST_SMALL = 200
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_UNIX_TIME = re.compile(r"[0-9]{9,19}(?:\.[0-9]{1,9})?", re.ASCII)
_LONGEST_TIME = 64
# Seconds, milliseconds or microseconds since 1970: each is a thousand times the one before for any date of our time.
_MILLISECONDS_FROM = 1e11
_MICROSECONDS_FROM = 1e14


def storable(text: str) -> str:
    """Replace what PostgreSQL can't hold, NUL and halves of surrogate pairs, by U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub("�", text)


def shortened(text: str, limit: int = LONGEST_TOOL_TEXT) -> str:
    """Cut a text after `limit` characters and note how many were left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … [{len(text) - limit:,} more characters]"


def compact(value: Any) -> str:
    """Write a JSON value on one line; a text that is itself JSON is written as that."""
    if isinstance(value, str):
        if not value.lstrip().startswith(("{", "[")):
            return value
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, TypeError, RecursionError):
        return "…"


def called(name: Any, arguments: Any) -> str:
    """Return the text of a tool call: the tool's name and its arguments, cut to 4,000 characters."""
    written = "" if arguments in (None, "", {}) else compact(arguments)
    return shortened(f"{named(name) or 'tool'} {written}".rstrip())


def named(value: Any) -> str:
    """Return a short text of a name, id or path: at most 200 characters on one line, empty for what is none."""
    if isinstance(value, str) and len(value) <= _LONGEST_SMALL and value.isprintable():
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    try:
        return storable(" ".join(str(value)[: _LONGEST_SMALL * 2].split()))[:_LONGEST_SMALL]
    except ValueError:
        return ""


def worth_keeping(**values: Any) -> dict[str, Any]:
    """Return the values that say something, as short texts or True."""
    kept = {key: value if value is True else named(value) for key, value in values.items()}
    return {key: value for key, value in kept.items() if value}


def instant(value: Any) -> datetime | None:
    """Read a time, in UTC: ISO 8601 (UTC where it names no zone), or seconds, milli- or microseconds since 1970."""
    if isinstance(value, str):
        value = value.strip()
        if _UNIX_TIME.fullmatch(value[:_LONGEST_TIME]):
            return _since_1970(float(value))
        return _iso(value) if len(value) <= _LONGEST_TIME else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return _since_1970(float(value))
    except OverflowError:
        return None


def _since_1970(seconds: float) -> datetime | None:
    if not math.isfinite(seconds) or seconds < 0:
        return None
    if seconds >= _MICROSECONDS_FROM:
        seconds /= 1e6
    elif seconds >= _MILLISECONDS_FROM:
        seconds /= 1e3
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _iso(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
