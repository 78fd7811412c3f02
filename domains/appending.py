"""Adding lines to LOG."""

from collections.abc import Sequence
from datetime import date

from audit.recording import Act, Actor
from common.errors import Invalid
from common.times import now
from domains import rows
from domains.models import Domain, LogLine
from domains.projects import members_of, today_in, today_of_members
from domains.rights import Standing, held_live
from domains.rules import log as rules
from domains.secrets import secrets_in


def append_line(
    act: Act, standing: Standing, *, change: str, project: str = "", day: date | None = None, source: str
) -> LogLine:
    """Add one change, in the transaction `act`; the day is today unless named.

    A seat writes for its own project. Raises Forbidden, and Invalid naming the field at fault.
    """
    standing.require_writing()
    domain = held_live(standing.domain)
    writer = standing.project_to_write(project)
    line = rules.Line(day or today_in(writer), writer.slug, change)
    try:
        rules.checked_change(change)
        rules.check(line, today_of_members(domain))
    except rules.BadLine as error:
        raise Invalid(str(error), field=error.part) from None
    if secrets_in(change, rows.key_values(domain)):
        raise Invalid("must not hold credentials, which belong into KEYS.md", field="change")
    number = add_lines(domain, [line], source, standing.caller.actor)
    act.record(standing.caller.actor, "domain.log_append", f"domain:{domain.slug}", line=number, project=writer.slug)
    return LogLine.objects.get(domain=domain, number=number)


def add_lines(domain: Domain, lines: Sequence[rules.Line], source: str, actor: Actor) -> int:
    """Add checked lines, inside the caller's transaction that holds the domain; returns the number of the first."""
    members = {project.slug: project.pk for project in members_of(domain)}
    first, at = rows.last_line(domain) + 1, now()
    LogLine.objects.bulk_create(
        LogLine(
            domain=domain,
            number=number,
            day=line.day,
            project=line.project,
            change=line.change,
            member_id=members[line.project],
            source=source,
            actor_kind=actor.kind,
            actor_id=actor.id,
            at=at,
        )
        for number, line in enumerate(lines, first)
    )
    return first
