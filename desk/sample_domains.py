"""A shared domain of the sample: three projects of a bookkeeping team, as their seats left it. All of it is our own."""

from datetime import date, timedelta
from pathlib import Path

from audit.recording import SYSTEM, Act, audited
from common.times import now
from domains import rows, sealing, siblings
from domains.appending import add_lines
from domains.holding import take_up
from domains.models import ContextRevision, Domain, DomainMember, Source
from domains.places import LOG, folder_of, project_folder
from domains.rules.keys import Row
from domains.rules.log import Line
from spaces.models import Project, Space

SLUG = "money-flow"
PROJECTS = {"ledger-core": "Ledger core", "claims-gateway": "Claims gateway", "clinic-onboarding": "Clinic onboarding"}
# Days before today, who rewrote CONTEXT why, and the line that then took another's place.
_REWRITES = (
    (64, "first agreement", "Rounding happens on the **batch**, half to even."),
    (31, "after the March statements", "Rounding happens on the **line**, half to even, before sums."),
)
_CONTEXT = """# Money flow

Money is kept in cents as integers. {rounding}

- A clinic has one ledger and any number of tills.
- Ledgers close on the clinic’s own working day, never on ours.
- Claims travel in batches of at most 500. A refused claim goes back whole, with the payer’s words.
"""
_CHANGES = (
    (63, "ledger-core", "amounts are integers of cents everywhere, also in exports"),
    (47, "clinic-onboarding", "a till gets its number when it is set up, not when it is first used"),
    (31, "ledger-core", "VAT is rounded per line, half to even"),
    (30, "claims-gateway", "takes rounded lines as they are and sums them"),
    (12, "claims-gateway", "batch limit lowered from 800 to 500"),
    (5, "clinic-onboarding", "the import window starts at 02:00 in the clinic’s zone"),
    (1, "ledger-core", "a ledger that is closed answers 409 to late bookings"),
)
_KEYS = {"payer-sandbox": "sample-value-one", "sepa-test-cert": "sample-value-two", "ledger-replica": "sample-three"}
_FILES = {"README.md": "# {name}\n\nPart of the sample.\n", ".env": "MODE=sample\n", "data/rows.csv": "day;cents\n"}


def make_sample_domain(space: Space) -> None:
    """Make the domain with its projects where the instance never had one; somebody altered its log on the disk."""
    if Domain.objects.exists():
        return
    with audited("default") as act:
        domain = _make(act, space)
    take_up(domain)
    log = folder_of(domain) / LOG
    log.write_text(log.read_text("utf-8").replace("from 800 to 500", "from 800 to 600"), "utf-8")
    take_up(domain)
    siblings.refresh(domain)


def _make(act: Act, space: Space) -> Domain:
    projects = [_project(space, slug, name) for slug, name in PROJECTS.items()]
    domain = Domain(slug=SLUG, name="Money flow")
    sealing.give_key(domain)
    domain.save(force_insert=True)
    DomainMember.objects.bulk_create(DomainMember(domain=domain, project=project) for project in projects)
    for number, (days, note, rounding) in enumerate(_REWRITES, 1):
        ContextRevision.objects.create(
            domain=domain,
            number=number,
            text=_CONTEXT.format(rounding=rounding),
            source=Source.API,
            actor_kind=SYSTEM.kind,
            actor_id=SYSTEM.id,
            at=now() - timedelta(days=days),
            base=number - 1,
            note=note,
        )
    lines = [Line(_day(days), project, change) for days, project, change in _CHANGES]
    add_lines(domain, lines, Source.API, SYSTEM)
    rows.store_keys(domain, [Row(name, value) for name, value in _KEYS.items()])
    act.record(SYSTEM, "domain.make", f"domain:{SLUG}", cross_read=True)
    return domain


def _project(space: Space, slug: str, name: str) -> Project:
    project, _ = Project.objects.get_or_create(space=space, slug=slug, defaults={"name": name})
    folder = project_folder(project)
    for path, text in _FILES.items():
        _write(folder / path, text.format(name=name))
    return project


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        file.write_text(text, "utf-8")


def _day(days: int) -> date:
    return (now() - timedelta(days=days)).date()
