"""Reading the chain again."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings

from audit.chain import FIELDS, GENESIS, Fault, derived_key, faults
from audit.databases import audited_databases
from audit.heads import Head, last_noted_head, note_head
from audit.models import AuditRow
from audit.recording import chain_key, chain_name
from common.errors import Unavailable
from common.times import format_instant, now

_ROWS_AT_ONCE = 2_000


def first_fault(using: str, older_roots: Sequence[str] = ()) -> Fault | None:
    """The first bad row of a database's chain, or None when the whole chain holds.

    `older_roots` are root keys under which rows were written before the present one.
    Rows that are missing at its end show when its head was written outside the database before they went.
    """
    older = [derived_key(root, chain_name(using)) for root in older_roots]
    return next(faults(chain_key(using), _rows(using), older), None) or _cut_or_rewritten(using)


def head(using: str) -> Head:
    """The last row of a database's chain; sequence 0 for an empty chain."""
    last = AuditRow.objects.using(using).order_by("-sequence").values_list("sequence", "mark").first()
    sequence, mark = last or (0, GENESIS)
    return Head(sequence, bytes(mark).hex())


def note_heads() -> int:
    """Write each database's head outside it, where it has changed; returns how many had. Spaces out of reach wait."""
    noted = 0
    for _, opened in audited_databases():
        try:
            with opened() as using:
                noted += note_head(settings.KNDL_AUDIT_HEADS, chain_name(using), head(using), now())
        except Unavailable:
            continue
    return noted


def _rows(using: str) -> Iterator[Mapping[str, Any]]:
    """The chain in its order, in pieces, since it may be longer than the memory is large."""
    after: int | None = None
    while True:
        query = AuditRow.objects.using(using).order_by("sequence").values(*FIELDS, "mark")
        piece = list((query if after is None else query.filter(sequence__gt=after))[:_ROWS_AT_ONCE])
        yield from piece
        if len(piece) < _ROWS_AT_ONCE:
            return
        after = piece[-1]["sequence"]


def _cut_or_rewritten(using: str) -> Fault | None:
    noted = last_noted_head(settings.KNDL_AUDIT_HEADS, chain_name(using))
    if noted is None or noted.head.sequence == 0:
        return None
    sequence, at = noted.head.sequence, format_instant(noted.at)
    mark = AuditRow.objects.using(using).filter(sequence=sequence).values_list("mark", flat=True).first()
    if mark is None:
        last = head(using).sequence
        return Fault(last + 1, f"rows {last + 1} to {sequence} are missing; at {at} the chain had {sequence} rows")
    if bytes(mark).hex() != noted.head.mark:
        return Fault(sequence, f"row {sequence} is not the one that was there at {at}; the chain was written anew")
    return None
