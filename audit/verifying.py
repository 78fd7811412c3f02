"""Reading the chain again."""

from collections.abc import Iterator, Mapping
from typing import Any

from audit.chain import FIELDS, GENESIS, Fault, faults
from audit.models import AuditRow
from audit.recording import chain_key


def _rows(using: str) -> Iterator[Mapping[str, Any]]:
    query = AuditRow.objects.using(using).order_by("sequence").values(*FIELDS, "mark")
    yield from query.iterator(chunk_size=2_000)


def first_fault(using: str) -> Fault | None:
    """The first bad row of a database's chain, or None when the whole chain holds."""
    return next(faults(chain_key(using), _rows(using)), None)


def head(using: str) -> tuple[int, str]:
    """The chain's last sequence and its mark in hexadecimal; (0, …) for an empty chain."""
    last = AuditRow.objects.using(using).order_by("-sequence").values_list("sequence", "mark").first()
    sequence, mark = last or (0, GENESIS)
    return sequence, bytes(mark).hex()
