"""What was found and not taken: kept sealed, and on record."""

import uuid
from collections.abc import Iterable

from audit.recording import SYSTEM, Act
from common.crypto import NotOpened
from common.errors import NotFound
from common.times import now
from domains import sealing
from domains.models import Domain, Evidence
from domains.places import KEYS
from spaces.access import Caller

LONGEST = 8 * 1024 * 1024  # bytes of a content that are kept


def keep(
    act: Act, domain: Domain, kind: Evidence.Kind, file: str, said: str, content: bytes = b"", line: int | None = None
) -> Evidence:
    """Keep `content` as evidence and record that it was found, in the transaction `act`. `said` holds none of it."""
    number = uuid.uuid4()
    made = Evidence.objects.create(
        id=number,
        domain=domain,
        kind=kind,
        file=file,
        said=said[:500],
        line=line,
        size=len(content),
        content=sealing.packed(domain, content[:LONGEST], _place(number)),
        at=now(),
    )
    act.record(
        SYSTEM, f"domain.{kind.value}", f"domain:{domain.slug}", evidence=str(number), file=file, line=line, said=said
    )
    return made


def find(domain: Domain, number: uuid.UUID) -> Evidence:
    """One piece of evidence. Raises NotFound."""
    found = Evidence.objects.filter(domain=domain, pk=number).first()
    if found is None:
        raise NotFound("There is no such evidence.")
    return found


def content_of(act: Act, caller: Caller, domain: Domain, found: Evidence) -> bytes:
    """What was kept. It may hold a credential, so the reading is on record. Raises NotFound when nothing was kept."""
    act.record(caller.actor, "domain.evidence_read", f"domain:{domain.slug}", evidence=str(found.pk))
    try:
        return sealing.unpacked(domain, found.content, _place(found.pk))
    except NotOpened:
        raise NotFound("What was kept does not open any more.") from None


def forget_keys(domain: Domain) -> int:
    """Empty the evidence that may hold values of KEYS.md; returns how many there were."""
    held: Iterable[str] = (Evidence.Kind.KEYS_REFUSED, Evidence.Kind.CLASHED, Evidence.Kind.REPLACED)
    return Evidence.objects.filter(domain=domain, file=KEYS, kind__in=held).update(content=b"")


def _place(number: uuid.UUID) -> str:
    return f"evidence:{number}"
