"""Cursors of lists: where the next page begins, sealed, for a place in a list may be the place of a withheld row."""

import base64
import binascii
from collections.abc import Set
from typing import Any

from django.conf import settings

from common.crypto import NotOpened, derived, seal, unseal
from common.errors import Invalid
from common.jsonio import dumps, loads

_LONGEST = 16_384
_REFUSED = "is not a cursor of this list"


def encode(position: dict[str, Any]) -> str:
    """Return the cursor for a position: JSON values by name, which only this instance can read."""
    return base64.urlsafe_b64encode(seal(_key(), dumps(position).encode(), "cursor")).decode().rstrip("=")


def decode(cursor: str, *, expect: Set[str]) -> dict[str, Any]:
    """Return the position that `encode` was given.

    Raises Invalid naming `cursor` when it is not one of ours or has other keys than `expect`, as one of another query
    has. Check the values like any input all the same.
    """
    try:
        if len(cursor) > _LONGEST:
            raise ValueError
        padded = cursor + "=" * (-len(cursor) % 4)
        position = loads(unseal(_key(), base64.b64decode(padded, altchars=b"-_", validate=True), "cursor"))
    except (ValueError, binascii.Error, Invalid, NotOpened):
        raise Invalid(_REFUSED, field="cursor") from None
    if not isinstance(position, dict) or position.keys() != expect:
        raise Invalid(_REFUSED, field="cursor")
    return position


def _key() -> bytes:
    return derived(settings.SECRET_KEY.encode(), "kndl cursors")
