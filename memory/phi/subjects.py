"""What is held about subjects as PHI: how much, under which consents, and who read it. For roles that govern."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from audit.models import AuditRow
from common.actors import shown_names
from common.errors import NotFound
from memory.facts.statements import fetch
from memory.phi.consents import ConsentView, consents_of
from memory.phi.gate import gate_values, released_sql
from memory.phi.withholding import names_of_subjects
from spaces.access import Binding
from spaces.databases.entering import current_alias

PAGE = 50
MOST_PENDING = 200
MOST_READINGS = 100

READ, OPENED = "phi.read", "phi.break_glass"


@dataclass(frozen=True)
class Holding:
    """How many facts are held under one consent, and how many of them are released to the reader now."""

    consent: str
    held: int
    released: int
    since: datetime
    due: datetime | None

    @property
    def withheld(self) -> int:
        return self.held - self.released


@dataclass(frozen=True)
class Subject:
    """A subject with its consents, the newest first, and what is held under which consent.

    `hash` stands for it in columns, addresses and audit rows. `name` is None where nothing opens that says it.
    """

    scope: int
    hash: str
    name: str | None
    consents: tuple[ConsentView, ...]
    holdings: tuple[Holding, ...]

    @property
    def held(self) -> int:
        return sum(holding.held for holding in self.holdings)

    @property
    def released(self) -> int:
        return sum(holding.released for holding in self.holdings)

    @property
    def withheld(self) -> int:
        return self.held - self.released

    def in_force(self, at: datetime) -> list[ConsentView]:
        """The consents that hold at `at`."""
        return [consent for consent in self.consents if consent.state(at) == "holds"]


@dataclass(frozen=True)
class Pending:
    """A consent that facts name and nobody has recorded yet: they are withheld from everybody.

    `subjects` are whom they are about, by their hashes; the facts may name none.
    """

    scope: int
    consent: str
    held: int
    since: datetime
    subjects: dict[str, str]


@dataclass(frozen=True)
class Reading:
    """That somebody read PHI of a subject or opened it in an emergency; `actor` is how they are called."""

    at: datetime
    actor: str
    act: str
    purpose: str
    consent: str
    count: int
    reason: str
    in_need: bool


def subjects(binding: Binding, *, after: int | None = None) -> tuple[list[Subject], int | None]:
    """Subjects in the order of their newest consent, 50 a page; the place where the next page begins, or None."""
    rows = fetch(
        "select scope, subject, max(number) newest from consent where scope = any(%(scopes)s) and sealed is not null"
        " group by scope, subject having %(after)s::bigint is null or max(number) < %(after)s"
        " order by newest desc limit %(most)s",
        {"scopes": binding.scope_ids, "after": after, "most": PAGE + 1},
    )
    shown = rows[:PAGE]
    return _opened(binding, [row["subject"] for row in shown]), shown[-1]["newest"] if len(rows) > PAGE else None


def find_subject(binding: Binding, subject_hash: str) -> Subject:
    """One subject, by the keyed hash that stands for it. Raises NotFound when nothing of it is here."""
    found = _opened(binding, [subject_hash])
    if found:
        return found[0]
    holdings = _holdings(binding, [subject_hash])[subject_hash]
    if not holdings:
        raise NotFound("There is no such subject.")
    name = names_of_subjects(binding, [subject_hash]).get(subject_hash)
    return Subject(binding.one.pk, subject_hash, name, (), tuple(holdings))


def pending_consents(binding: Binding, *, consent: str | None = None) -> list[Pending]:
    """Consents that facts of the bound scopes name and that are not recorded, the most wanted first, at most 200."""
    rows = fetch(
        "select f.scope, f.consent, count(*) held, min(f.recorded_at) since,"
        " (array_agg(distinct f.subject) filter (where f.subject is not null))[1:5] hashes"
        " from fact f where f.scope = any(%(scopes)s) and f.consent is not null and f.sealed is not null"
        " and (%(consent)s::text is null or f.consent = %(consent)s) and not exists"
        "  (select 1 from consent c where c.scope = f.scope and c.id = f.consent)"
        " group by f.scope, f.consent order by held desc, f.scope, f.consent limit %(most)s",
        {"scopes": binding.scope_ids, "consent": consent, "most": MOST_PENDING},
    )
    names = names_of_subjects(binding, [name for row in rows for name in row["hashes"] or ()])
    return [_pending(row, names) for row in rows]


def _pending(row: dict[str, Any], names: dict[str, str]) -> Pending:
    whose = {name: names.get(name, "") for name in row.pop("hashes") or ()}
    return Pending(**row, subjects=whose)


def covered_now(consent: ConsentView) -> int:
    """How many facts a consent is the consent of, whatever the purpose: what its end reaches."""
    rows = fetch(
        "select count(*) n from fact f where f.scope = %(scope)s and f.consent = %(id)s and f.sealed is not null"
        " and (f.subject is null or f.subject = %(subject)s)",
        {"scope": consent.scope, "id": consent.id, "subject": consent.subject_hash},
    )
    return int(rows[0]["n"])


def readings_of(subject: Subject) -> list[Reading]:
    """Who read PHI of the subject or opened it in an emergency, the latest first, at most 100."""
    rows = list(
        AuditRow.objects.using(current_alias())
        .filter(object=f"subject:{subject.hash}", act__in=(READ, OPENED), outcome=AuditRow.Outcome.DONE)
        .order_by("-sequence")[:MOST_READINGS]
    )
    names = shown_names(f"{row.actor_kind}:{row.actor_id}" for row in rows)
    return [_reading(row, names[f"{row.actor_kind}:{row.actor_id}"]) for row in rows]


def _reading(row: AuditRow, actor: str) -> Reading:
    stated: dict[str, Any] = row.stated
    return Reading(
        at=row.at,
        actor=actor,
        act=row.act,
        purpose=row.purpose,
        consent=row.consent,
        count=int(stated.get("count", 0)),
        reason=str(stated.get("reason", "")),
        in_need=bool(stated.get("break_glass")),
    )


def _opened(binding: Binding, hashes: Sequence[str]) -> list[Subject]:
    """These subjects in the order of the hashes; one without a consent is left out."""
    consents: dict[str, list[ConsentView]] = defaultdict(list)
    for consent in consents_of(binding, hashes):
        consents[consent.subject_hash].append(consent)
    holdings = _holdings(binding, list(consents))
    return [
        Subject(consents[name][0].scope, name, consents[name][0].subject, tuple(consents[name]), tuple(holdings[name]))
        for name in hashes
        if name in consents
    ]


def _holdings(binding: Binding, hashes: Sequence[str]) -> dict[str, list[Holding]]:
    """What is held about each subject; a fact without a subject is its consent's."""
    rows = fetch(
        "select coalesce(f.subject, c.subject) whose, f.consent, count(*) held,"
        f" count(*) filter (where {released_sql()}) released, min(f.recorded_at) since, min(f.retention_at) due"
        " from fact f left join consent c on c.scope = f.scope and c.id = f.consent"
        " where f.scope = any(%(scopes)s) and f.sealed is not null"
        " and (f.subject = any(%(hashes)s) or f.subject is null and f.consent in "
        "  (select id from consent where scope = any(%(scopes)s) and subject = any(%(hashes)s)))"
        " group by whose, f.consent order by whose, since",
        gate_values(binding) | {"scopes": binding.scope_ids, "hashes": list(hashes)},
    )
    found: dict[str, list[Holding]] = defaultdict(list)
    for row in rows:
        found[row.pop("whose")].append(Holding(**row))
    return found
