"""Cursors: where a page ended, bound to the statement and the scope that it belongs to."""

import base64
import binascii
import dataclasses
import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import Any

from django.conf import settings

from common.crypto import derived
from memory.kip.language.errors import KipError
from memory.kip.querying.faults import RunningFault

_MARK = 12  # bytes
_APART = frozenset({"at", "limit", "cursor"})
Place = Sequence[str | int]


def cursor_of(statement: Any, scope: int, place: Place) -> str:
    """The cursor of a page that ended at this place."""
    payload = json.dumps(list(place), ensure_ascii=False, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_mark(statement, scope, payload) + payload).decode().rstrip("=")


def place_of(cursor: str, statement: Any, scope: int, length: int) -> list[str | int]:
    """Where the page of a cursor ended. Raises KIP_1001 for one that is not of this statement."""
    try:
        given = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (binascii.Error, ValueError) as error:
        raise _refusal() from error
    mark, payload = given[:_MARK], given[_MARK:]
    if not hmac.compare_digest(mark, _mark(statement, scope, payload)):
        raise _refusal()
    place: list[str | int] = json.loads(payload)
    if len(place) != length:
        raise _refusal()
    return place


def _mark(statement: Any, scope: int, payload: bytes) -> bytes:
    key = derived(settings.SECRET_KEY.encode(), "kndl kip cursors")
    said = hashlib.sha256(repr((scope, _said(statement))).encode("utf-8", "surrogatepass")).digest()
    return hmac.new(key, said + payload, "sha256").digest()[:_MARK]


def _said(part: Any) -> Any:
    """What a statement says, apart from where in the text and which page of it."""
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        fields = [_said(getattr(part, field.name)) for field in dataclasses.fields(part) if field.name not in _APART]
        return (type(part).__name__, *fields)
    if isinstance(part, tuple | list):
        return [_said(one) for one in part]
    return part


def _refusal() -> KipError:
    return RunningFault(
        "KIP_1001",
        "The cursor does not belong to this command.",
        hint="Send the same command with the next_cursor of its last answer, or without CURSOR.",
    )
