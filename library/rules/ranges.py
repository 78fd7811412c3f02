"""Which part of a content a request asks for: one range of bytes, by RFC 9110, section 14."""

import re

_RANGE = re.compile(r"bytes=\s*(\d{0,18})-(\d{0,18})\s*", re.ASCII)


class OutOfRange(ValueError):
    """The range begins behind the end."""


def asked_range(header: str, size: int) -> tuple[int, int] | None:
    """The first byte and the one after the last; None for all of it, as for what is no single range of bytes.

    Raises OutOfRange where nothing of the content is in the range.
    """
    match = _RANGE.fullmatch(header)
    if match is None or match[1] == match[2] == "":
        return None
    if not match[1]:
        length = int(match[2])
        if not length or not size:
            raise OutOfRange
        return max(0, size - length), size
    first = int(match[1])
    if match[2] and int(match[2]) < first:
        return None
    if first >= size:
        raise OutOfRange
    return first, min(int(match[2]) + 1, size) if match[2] else size
