"""What the rows say of each file: its content, and a number that rises with each change."""

from collections.abc import Iterable

from common.times import now
from domains import sealing
from domains.models import ContextRevision, Domain, DomainKey, LogLine
from domains.places import CONTEXT, KEYS, LOG
from domains.rules import keys as key_rules
from domains.rules import log as log_rules


def current_revision(domain: Domain) -> ContextRevision:
    """CONTEXT as it is now."""
    return ContextRevision.objects.filter(domain=domain).latest("number")


def stored_lines(domain: Domain, *, up_to: int | None = None) -> list[str]:
    """The lines of LOG in their order, the first `up_to` of them if that is given."""
    rows = LogLine.objects.filter(domain=domain).order_by("number")
    if up_to is not None:
        rows = rows.filter(number__lte=up_to)
    return [str(log_rules.Line(*row)) for row in rows.values_list("day", "project", "change")]


def last_line(domain: Domain) -> int:
    """The number of the last line, 0 before the first."""
    return LogLine.objects.filter(domain=domain).order_by("-number").values_list("number", flat=True).first() or 0


def key_rows(domain: Domain) -> list[key_rules.Row]:
    """The lines of KEYS, opened. Raises Unavailable under another root key."""
    rows = DomainKey.objects.filter(domain=domain).order_by("position")
    return [key_rules.Row(row.name, opened_key(domain, row)) for row in rows]


def key_values(domain: Domain) -> list[str]:
    """The values alone, to look for them where they must not be."""
    return [row.text for row in key_rows(domain) if row.name]


def opened_key(domain: Domain, row: DomainKey) -> str:
    """What one line of KEYS holds."""
    return sealing.opened(domain, row.sealed, _place(row.name, row.position)).decode()


def store_keys(domain: Domain, rows: Iterable[key_rules.Row]) -> list[str]:
    """Let KEYS be these lines, inside the caller's transaction; returns the names that changed, nothing when none did.

    A key keeps the time of its last change as long as its value is the same.
    """
    before = {row.name: (opened_key(domain, row), row.changed_at) for row in _named(domain)}
    given, at = list(rows), now()
    if given == key_rows(domain):
        return []
    DomainKey.objects.filter(domain=domain).delete()
    DomainKey.objects.bulk_create(
        DomainKey(
            domain=domain,
            position=position,
            name=row.name,
            sealed=sealing.sealed(domain, row.text.encode(), _place(row.name, position)),
            changed_at=before[row.name][1] if before.get(row.name, ("",))[0] == row.text else at,
        )
        for position, row in enumerate(given, 1)
    )
    domain.keys_version += 1
    domain.save(update_fields=["keys_version"])
    after = {row.name: row.text for row in given if row.name}
    held = {name: text for name, (text, _) in before.items()}
    return sorted(name for name in held.keys() | after.keys() if held.get(name) != after.get(name))


def version_of(domain: Domain, file: str) -> int:
    """The number of a file's state in the rows."""
    if file == CONTEXT:
        return current_revision(domain).number
    if file == LOG:
        return last_line(domain)
    return Domain.objects.values_list("keys_version", flat=True).get(pk=domain.pk)


def content_of(domain: Domain, file: str) -> bytes:
    """The file as the rows have it."""
    if file == CONTEXT:
        return current_revision(domain).text.encode()
    if file == LOG:
        return log_rules.written(stored_lines(domain)).encode()
    if file == KEYS:
        return key_rules.written(key_rows(domain)).encode()
    raise ValueError(file)


def hold(domain: Domain) -> Domain:
    """The domain's row, locked until the transaction ends, so that its writers take turns."""
    return Domain.objects.select_for_update(no_key=True).get(pk=domain.pk)


def _named(domain: Domain) -> list[DomainKey]:
    return list(DomainKey.objects.filter(domain=domain).exclude(name=""))


def _place(name: str, position: int) -> str:
    return f"key:{name}" if name else f"line:{position}"
