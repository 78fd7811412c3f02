"""Regular expressions of FILTER, brought to PostgreSQL's dialect.

They are read by Python's parser first, so that a bad one is refused wherever it stands. PostgreSQL's engine runs under
the statement's time limit.
"""

import re

from memory.kip.querying.faults import RunningFault

LONGEST = 1_000
_FLAGS = re.compile(r"\(\?([aimsux]+)\)", re.ASCII)
_NAMED = re.compile(r"\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>", re.ASCII)
_ESCAPES = {"b": r"\y", "B": r"\Y", "z": r"\Z"}
_REFUSED = re.compile(r"\(\?(?:P=|\()", re.ASCII)


def as_postgresql(pattern: str, at: int) -> str:
    """The same pattern as PostgreSQL writes it. Raises KIP_1001 for a bad one, and KIP_4002 for one that is too long.

    Without the flag s a dot matches no end of line; ^ and $ are the ends of the text but with the flag m.
    """
    if len(pattern) > LONGEST:
        raise RunningFault("KIP_4002", f"A regular expression has {LONGEST:,} characters at most.", at=at)
    given = _FLAGS.match(pattern)
    flags = set(given[1]) if given else set()
    body = pattern[given.end() :] if given else pattern
    translated = _translated(body, at)
    try:
        re.compile(_NAMED.sub(r"(?P<\1>", _python(pattern)))
    except (re.error, OverflowError, RecursionError) as error:
        raise RunningFault("KIP_1001", f"The regular expression is not valid: {error}.", at=at) from error
    lines = {(False, False): "p", (True, False): "n", (False, True): "s", (True, True): "w"}["m" in flags, "s" in flags]
    return f"(?{lines}{'i' if 'i' in flags else ''}{'x' if 'x' in flags else ''})(?:{translated})"


def _python(pattern: str) -> str:
    return pattern.replace(r"\z", r"\Z")


def _translated(body: str, at: int) -> str:
    if _REFUSED.search(body):
        raise RunningFault("KIP_1001", "The regular expression has a part that is not supported.", at=at)
    found: list[str] = []
    place, in_set = 0, False
    while place < len(body):
        character = body[place]
        if character == "\\":
            escaped = body[place + 1 : place + 2]
            found.append(_ESCAPES.get(escaped, "\\" + escaped) if not in_set else "\\" + escaped)
            place += 2
            continue
        named = None if in_set else _NAMED.match(body, place)
        if named:
            found.append("(")
            place = named.end()
            continue
        if in_set:
            in_set = character != "]"
            found.append(r"\[" if character == "[" else character)
        else:
            in_set = character == "["
            found.append(character)
            # A bracket that comes first in a set is one of its members.
            if in_set:
                start = place + 1 + body.startswith("^", place + 1)
                found.append(body[place + 1 : start])
                if body.startswith("]", start):
                    found.append(r"\]")
                    start += 1
                place = start
                continue
        place += 1
    return "".join(found)
