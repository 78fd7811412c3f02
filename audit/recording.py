"""Writing the chain. No audit row, no answer: where it cannot be written, the act fails."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import structlog
from django.conf import settings
from django.db import connections, transaction

from audit.chain import GENESIS, derived_key, sign
from audit.models import AuditRow
from common.times import now

# One lock for every database; advisory locks do not cross databases.
_CHAIN_LOCK = 0x6B6E646C


@dataclass(frozen=True)
class Actor:
    """Who acts: a person, a seat, or the system itself."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


SYSTEM = Actor("system", "kndl")
NOBODY = Actor("nobody", "")


@dataclass(frozen=True)
class Entry:
    """One row to be; `stated` holds ids, counts and stated reasons."""

    actor: Actor
    act: str
    target: str = ""
    scope: int | None = None
    purpose: str = ""
    consent: str = ""
    outcome: str = AuditRow.Outcome.DONE
    stated: dict[str, Any] = field(default_factory=dict)


@dataclass
class Act:
    """An open transaction and what will be recorded of it."""

    using: str
    entries: list[Entry] = field(default_factory=list)

    def record(
        self,
        actor: Actor,
        act: str,
        target: str = "",
        *,
        scope: int | None = None,
        purpose: str = "",
        consent: str = "",
        **stated: Any,
    ) -> None:
        """Note an act; its row is written when the transaction ends, the chain's lock taken last."""
        self.entries.append(Entry(actor, act, target, scope, purpose, consent, AuditRow.Outcome.DONE, stated))


_open: ContextVar[dict[str, Act] | None] = ContextVar("kndl_open_acts", default=None)


class NothingRecorded(RuntimeError):
    """A transaction ended without saying what it did."""


@contextmanager
def audited(using: str) -> Iterator[Act]:
    """A transaction on the database `using` together with its audit rows.

    Nested use joins the outer transaction. Raises NothingRecorded, and keeps nothing, when nothing was recorded.
    """
    acts = _open.get() or {}
    if using in acts:
        yield acts[using]
        return
    act = Act(using)
    token = _open.set({**acts, using: act})
    try:
        with transaction.atomic(using=using):
            yield act
            if not act.entries:
                raise NothingRecorded(f"a transaction on {using} recorded nothing")
            append(using, act.entries)
    finally:
        _open.reset(token)


def refused(using: str, actor: Actor, act: str, target: str = "", *, scope: int | None = None, **stated: Any) -> None:
    """Record a refusal in a transaction of its own, after the act's was rolled back."""
    entry = Entry(actor, act, target, scope, outcome=AuditRow.Outcome.REFUSED, stated=stated)
    with transaction.atomic(using=using):
        append(using, [entry])


def append(using: str, entries: list[Entry]) -> None:
    """Add rows to the chain of `using`, inside the caller's transaction."""
    connection = connections[using]
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("an audit row belongs to the transaction of its act")
    key = chain_key(using)
    request_id = str(structlog.contextvars.get_contextvars().get("request_id", ""))
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(%s)", [_CHAIN_LOCK])
        cursor.execute("select sequence, mark from audit_row order by sequence desc limit 1")
        sequence, previous = cursor.fetchone() or (0, GENESIS)
    rows = []
    for entry in entries:
        sequence += 1
        row = AuditRow(
            sequence=sequence,
            at=now(),
            actor_kind=entry.actor.kind,
            actor_id=entry.actor.id,
            act=entry.act,
            object=entry.target[:600],
            scope=entry.scope,
            purpose=entry.purpose,
            consent=entry.consent,
            outcome=str(entry.outcome),
            stated=_as_kept(entry.stated),
            request_id=request_id,
        )
        row.mark = previous = sign(key, bytes(previous), vars(row))
        rows.append(row)
    AuditRow.objects.using(using).bulk_create(rows)


def _as_kept(stated: dict[str, object]) -> Any:
    """What will be read again: jsonb has its own way of writing a fraction, so it is kept as the text we signed."""
    return json.loads(json.dumps(stated), parse_float=str)


def chain_key(using: str) -> bytes:
    """The key of one database's chain."""
    return derived_key(settings.KNDL_ROOT_KEY, chain_name(using))


def chain_name(using: str) -> str:
    """What a chain is called for good: its database's alias, which for a Space holds the Space's id."""
    return using.removeprefix("owner_")
