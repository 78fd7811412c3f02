"""A LOG.md that was changed on the disk."""

from audit.recording import SYSTEM, Act, audited
from domains import evidence, rows
from domains.appending import add_lines
from domains.disk import Found
from domains.models import ON_DISK, Domain, Evidence, Source
from domains.places import LOG
from domains.projects import today_of_members
from domains.rules import log as rules
from domains.secrets import secrets_in


def take_log(domain: Domain, found: Found, on_disk: int) -> None:
    """Take up the lines that were added on disk; say so where an earlier one was changed, and keep what was found.

    `on_disk`: how many stored lines the file had last time. The caller writes the file as the rows then have it.
    """
    with audited("default") as act:
        domain = rows.hold(domain)
        given = rules.lines_of(found.content.decode("utf-8", "surrogateescape"))
        comparison = rules.compared(given, rows.stored_lines(domain), on_disk)
        taken, refused, why = _sorted(domain, comparison.appended)
        first = add_lines(domain, taken, Source.DISK, ON_DISK)
        act.record(SYSTEM, "domain.log_take_up", f"domain:{domain.slug}", lines=len(taken), first=first)
        _keep(act, domain, found, comparison, refused, why)


def _sorted(domain: Domain, appended: tuple[str, ...]) -> tuple[list[rules.Line], list[str], str]:
    """(lines to take, lines refused, why the first of these was)."""
    today, known = today_of_members(domain), rows.key_values(domain)
    taken: list[rules.Line] = []
    refused: list[str] = []
    why = ""
    for text in appended:
        try:
            line = rules.parsed(text)
            rules.check(line, today)
            if secrets_in(line.change, known):
                raise rules.BadLine("change", "must not hold credentials")
            taken.append(line)
        except rules.BadLine as error:
            why = why or f"its {error.part} {error}"
            refused.append(text)
    return taken, refused, why


def _keep(act: Act, domain: Domain, found: Found, comparison: rules.Comparison, refused: list[str], why: str) -> None:
    if comparison.changed is not None:
        said = f"Line {comparison.changed} of {LOG} was {comparison.what} on disk; the log was put back."
        evidence.keep(act, domain, Evidence.Kind.LOG_CHANGED, LOG, said, found.content, line=comparison.changed)
    if refused:
        content = rules.written(refused).encode("utf-8", "surrogateescape")
        said = f"{len(refused):,} added to {LOG} on disk kept aside; of the first, {why}."
        said = said.replace(" added", " line added" if len(refused) == 1 else " lines added", 1)
        evidence.keep(act, domain, Evidence.Kind.LOG_REFUSED, LOG, said, content)
