"""Making, finding and re-wrapping the data keys of the Space one is in."""

import uuid
from collections.abc import Callable
from functools import partial

from django.db import connections

from common.crypto import derived, keyed_hash, new_key
from common.errors import Unavailable
from memory.keys.models import DataKey
from spaces.access import Caller
from spaces.databases.entering import current
from spaces.databases.transactions import memory_transaction
from spaces.keys import current_number, unwrap, wrap

SPACE_KEY = "space"
HASH_PREFIX = "phi:"

_index_keys: dict[uuid.UUID, bytes] = {}


class KeyDestroyed(Exception):
    """What this key encrypted was erased."""


def place_of(scope: int, name: str) -> str:
    """The associated data of a wrapped key: the Space, the scope and the name it was made for."""
    return f"data-key:{current().space_id}:{scope}:{name}"


def key_for(scope: int, name: str, subject: str | None) -> tuple[int, bytes]:
    """(number, key) of the data key `name` in `scope`, made when it is not there yet.

    Called inside a memory transaction. Raises KeyDestroyed for the key of somebody who was erased.
    """
    row = DataKey.objects.filter(scope=scope, name=name).first()
    if row is None:
        number, wrapped = wrap(new_key(), place_of(scope, name))
        with connections[current().alias].cursor() as cursor:
            cursor.execute(
                "insert into data_key (scope, name, subject, wrapped_by, wrapped, made_at)"
                " values (%s, %s, %s, %s, %s, now()) on conflict (scope, name) do nothing",
                [scope, name, subject, number, wrapped],
            )
        row = DataKey.objects.get(scope=scope, name=name)
    return row.number, opened(scope, name, row.wrapped_by, row.wrapped)


def opened(scope: int, name: str, wrapped_by: int, wrapped: bytes | memoryview | None) -> bytes:
    """A data key from its row. Raises KeyDestroyed, and Unavailable under another root key."""
    if wrapped is None:
        raise KeyDestroyed(name)
    return unwrap(wrapped_by, bytes(wrapped), place_of(scope, name))


def hashed(scope: int, kind: str, *values: str) -> str:
    """The keyed hash that stands for a value of a PHI fact in its column.

    Under a key of the Space, never of the subject, so that it can be looked up; bound to scope and column.
    """
    return HASH_PREFIX + keyed_hash(_index_key(), str(scope), kind, *values).hex()[:40]


def claim_of(scope: int, subject: str | None, predicate: str | None) -> uuid.UUID | None:
    """What facts about the same subject and predicate share, whether they are PHI or not; None without either."""
    return claims_in(scope)(subject, predicate)


def claims_in(scope: int) -> Callable[[str | None, str | None], uuid.UUID | None]:
    """`claim_of` for many facts of one scope: the key is looked up once."""
    key = _index_key()

    def claim(subject: str | None, predicate: str | None) -> uuid.UUID | None:
        if subject is None or predicate is None:
            return None
        return uuid.UUID(bytes=keyed_hash(key, str(scope), "claim", subject, predicate)[:16])

    return claim


def _index_key() -> bytes:
    """The Space's key for hashes, derived from its data key; kept in the process, for it never changes.

    One that this transaction has made itself is kept only once it is committed: rolled back, it was never there.
    """
    space = current()
    key = _index_keys.get(space.space_id)
    if key is None:
        _, space_key = key_for(0, SPACE_KEY, None)
        key = derived(space_key, "kndl blind index")
        connections[space.alias].on_commit(partial(_index_keys.__setitem__, space.space_id, key))
    return key


def rewrap_space(caller: Caller, *, batch: int = 500) -> tuple[int, int]:
    """Wrap data keys of the Space again that an older key-encryption key wraps.

    Returns how many there were, and how many of them are left since they do not open. May be cut short at any time and
    run again; each batch is a transaction with its audit row. Raises Unavailable under another root key.
    """
    newest, done, left, last = current_number(), 0, 0, 0
    behind = DataKey.objects.exclude(wrapped_by=newest).exclude(wrapped=None).order_by("number")
    while rows := list(behind.filter(number__gt=last)[:batch]):
        last = rows[-1].number
        with memory_transaction() as act:
            wrapped = sum(_rewrapped(row) for row in rows)
            act.record(caller.actor, "keys.rewrap", f"key-encryption-key:{newest}", count=wrapped)
        done, left = done + wrapped, left + len(rows) - wrapped
    return done, left


def _rewrapped(row: DataKey) -> bool:
    """Whether it could be. A key that was destroyed meanwhile stays destroyed."""
    place = place_of(row.scope, row.name)
    try:
        key = opened(row.scope, row.name, row.wrapped_by, row.wrapped)
    except Unavailable:
        return False
    number, wrapped = wrap(key, place)
    DataKey.objects.filter(pk=row.pk, wrapped_by=row.wrapped_by, wrapped__isnull=False).update(
        wrapped_by=number, wrapped=wrapped
    )
    return True


def behind() -> int:
    """How many data keys of the Space an older key-encryption key still wraps."""
    return DataKey.objects.exclude(wrapped_by=current_number()).exclude(wrapped=None).count()
