"""A KEYS.md that was changed on the disk."""

from audit.recording import SYSTEM, audited
from domains import evidence, rows
from domains.disk import Found
from domains.models import Domain, Evidence, Source
from domains.places import KEYS
from domains.rules import keys as rules


def take_keys(domain: Domain, found: Found) -> bool:
    """Renew the sealed rows from what was found; returns whether it was taken. A refused one is kept as evidence."""
    with audited("default") as act:
        domain = rows.hold(domain)
        why = ""
        try:
            given, odd = rules.parsed(found.content.decode())
        except UnicodeDecodeError:
            given, odd, why = [], [], "it is not UTF-8"
        if not why and not any(row.name for row in given) and any(row.name for row in rows.key_rows(domain)):
            why = "it holds no key any more"
        if not why and any("\0" in row.text for row in given):
            why = "it holds a NUL"
        if why:
            said = f"A {KEYS} written on disk was put back: {why}."
            evidence.keep(act, domain, Evidence.Kind.KEYS_REFUSED, KEYS, said, found.content)
            return False
        changed = rows.store_keys(domain, given)
        act.record(
            SYSTEM,
            "domain.keys_write",
            f"domain:{domain.slug}",
            names=changed,
            source=Source.DISK,
            odd_lines=[line.line for line in odd],
        )
        return True
