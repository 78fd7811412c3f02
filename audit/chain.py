"""The arithmetic of the chain: what is signed, and how. No database here."""

import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

GENESIS = b"\0" * 32
FIELDS = (
    "sequence", "at", "actor_kind", "actor_id", "act", "object",
    "scope", "purpose", "consent", "outcome", "stated", "request_id",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """The first row where a chain does not hold."""

    sequence: int
    reason: str


def canonical(row: Mapping[str, Any]) -> bytes:
    """The bytes of a row that are signed: its fields as JSON with sorted keys, times as microseconds in UTC."""
    values = {name: row[name] for name in FIELDS}
    at = values["at"]
    values["at"] = at.isoformat(timespec="microseconds") if isinstance(at, datetime) else at
    return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str).encode()


def sign(key: bytes, previous: bytes, row: Mapping[str, Any]) -> bytes:
    """HMAC-SHA-256 over the previous row's mark and this row (32 bytes)."""
    return hmac.new(key, previous + canonical(row), hashlib.sha256).digest()


def derived_key(root_key: str, database: str) -> bytes:
    """The chain's key for one database: a row copied from another database does not verify."""
    return hmac.new(root_key.encode(), b"kndl audit chain\0" + database.encode(), hashlib.sha256).digest()


def faults(key: bytes, rows: Iterable[Mapping[str, Any]], older: Sequence[bytes] = ()) -> Iterator[Fault]:
    """The first fault of a chain, if there is one; `rows` are in the order of their sequence, with their `mark`.

    `older` are the keys that rows may have been signed with before the root key was changed.
    """
    previous, expected = GENESIS, 1
    for row in rows:
        if row["sequence"] != expected:
            yield Fault(expected, f"row {expected} is missing; the next one is {row['sequence']}")
            return
        mark = bytes(row["mark"])
        if not any(hmac.compare_digest(mark, sign(tried, previous, row)) for tried in (key, *older)):
            yield Fault(expected, f"row {expected} is not what was written, or a row before it was changed")
            return
        previous, expected = mark, expected + 1
