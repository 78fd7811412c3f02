"""Cursors of lists: where the next page begins, opaque to whoever passes them back."""

import base64
import binascii
from collections.abc import Set
from typing import Any

from common.errors import Invalid
from common.jsonio import dumps, loads

_LONGEST = 4096
_REFUSED = "is not a cursor of this list"


def encode(position: dict[str, Any]) -> str:
    """Return the cursor for a position: JSON values by name, no secrets, since anybody can read them."""
    return base64.urlsafe_b64encode(dumps(position).encode()).decode().rstrip("=")


def decode(cursor: str, *, expect: Set[str]) -> dict[str, Any]:
    """Return the position that `encode` was given.

    Raises Invalid naming `cursor` when it is broken or has other keys than `expect`, as one of another query has. The
    values come from the caller: check them like any input.
    """
    try:
        if len(cursor) > _LONGEST:
            raise ValueError
        padded = cursor + "=" * (-len(cursor) % 4)
        position = loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, Invalid):
        raise Invalid(_REFUSED, field="cursor") from None
    if not isinstance(position, dict) or position.keys() != expect:
        raise Invalid(_REFUSED, field="cursor")
    return position
