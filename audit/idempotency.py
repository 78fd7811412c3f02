"""`Idempotency-Key`: a write that is sent again is answered again and done once."""

from dataclasses import dataclass
from datetime import timedelta

from django.db import connections

from audit.models import IdempotencyKey
from audit.recording import Actor
from common.errors import Conflict
from common.times import now

KEPT = timedelta(hours=24)


@dataclass(frozen=True)
class Replay:
    """What the first request with this key was answered."""

    status: int
    object_id: str


def claim(using: str, actor: Actor, key: str, body_hash: bytes) -> Replay | None:
    """Claim `key` inside the act's transaction; the earlier answer when it was already used for the same body.

    A second request with the same key waits here for the first one to end. Raises Conflict for another body.
    """
    values = {"actor": str(actor), "key": key}
    with connections[using].cursor() as cursor:
        cursor.execute(
            "delete from idempotency_key where actor = %(actor)s and key = %(key)s and made_at < %(old)s",
            {**values, "old": now() - KEPT},
        )
        cursor.execute(
            "insert into idempotency_key (actor, key, body_hash, status, object_id, made_at)"
            " values (%(actor)s, %(key)s, %(hash)s, 0, '', %(now)s) on conflict do nothing",
            {**values, "hash": body_hash, "now": now()},
        )
        if cursor.rowcount == 1:
            return None
    earlier = IdempotencyKey.objects.using(using).get(**values)
    if bytes(earlier.body_hash) != body_hash:
        raise Conflict(
            "This Idempotency-Key was used for another request.", field="Idempotency-Key", type="idempotency_key_reused"
        )
    return Replay(earlier.status, earlier.object_id)


def settle(using: str, actor: Actor, key: str, status: int, object_id: str) -> None:
    """Keep the answer of the claimed key, in the same transaction."""
    IdempotencyKey.objects.using(using).filter(actor=str(actor), key=key).update(status=status, object_id=object_id)


def forget_old(using: str) -> int:
    """Drop keys past their 24 hours; returns how many."""
    deleted, _ = IdempotencyKey.objects.using(using).filter(made_at__lt=now() - KEPT).delete()
    return deleted
