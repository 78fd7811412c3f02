"""What stands in every graph from the start: capsules, applied in order, again when a text of theirs changes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from audit.recording import SYSTEM, Act
from common.times import now
from memory.kip.changing import apply
from memory.kip.graph import graph_of
from memory.kip.language.parsing import parse
from memory.kip.language.tree import Text, Upsert
from memory.kip.models import Capsule
from memory.kip.rules.protection import CONCEPT_TYPE, PROPOSITION_TYPE
from memory.layers.elements import run_sql
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import current
from spaces.databases.transactions import attempted
from spaces.models import Scope, Space

_FOLDER = Path(__file__).parent / "capsules"
# Two writers that seed the same new scope: the second waits, and finds it done.
_LOCK = 0x73656564


@dataclass(frozen=True)
class Source:
    """A capsule's file, the concept without which it does not stand, and what it says."""

    name: str
    type: str
    anchor: str

    @property
    def text(self) -> str:
        return (_FOLDER / f"{self.name}.kip").read_text(encoding="utf-8")


_TYPES = {
    "genesis": "Domain",
    "person": "Person",
    "event": "Event",
    "preference": "Preference",
    "insight": "Insight",
    "commitment": "Commitment",
    "sleep_task": "SleepTask",
    "experience": "Experience",
    "experience_step": "ExperienceStep",
    "skill": "Skill",
}
_PREDICATES = (
    *("involves", "mentions", "consolidated_to", "derived_from", "has_step", "caused_by"),
    *("derived_insight", "compiled_to"),
)
CAPSULES = (
    *(Source(name, CONCEPT_TYPE, anchor) for name, anchor in _TYPES.items()),
    *(Source(name, PROPOSITION_TYPE, name) for name in _PREDICATES),
    Source("self", "Person", "$self"),
    Source("system", "Person", "$system"),
)
LAYERS = Source("layers", CONCEPT_TYPE, "Fragment")
"""The types and predicates of the layers' own memories; they come when a scope first holds such."""


def seed(act: Act, scope: int) -> list[str]:
    """Apply what does not stand in a scope yet, in the transaction `act`; returns the names of those capsules."""
    run_sql("select pg_advisory_xact_lock(%(lock)s, %(scope)s)", {"lock": _LOCK, "scope": scope})
    due = due_capsules(scope)
    if due:
        space = Space.objects.get(pk=current().space_id)
        binding = Binding(space, SYSTEM_CALLER, (Scope.objects.get(pk=scope, space=space),))
        at = now()
        statements = tuple(statement for source in due for statement in _parsed(source))
        apply(act, graph_of(binding, at, privileged=True), Text(statements))
        for source in due:
            Capsule.objects.update_or_create(
                scope=scope, name=source.name, defaults={"hash": _hash(source), "applied_at": at}
            )
    act.record(SYSTEM, "kip.seed", scope=scope, capsules=[source.name for source in due])
    return [source.name for source in due]


def ensure(scope: int) -> None:
    """See to it that every capsule stands in a scope of the Space one is in; one statement when they do."""
    if due_capsules(scope):
        attempted(lambda act: seed(act, scope))


def due_capsules(scope: int) -> list[Source]:
    """The capsules that do not stand in a scope as they are now, in order."""
    sources = (*CAPSULES, LAYERS)
    rows = run_sql(
        _STANDING,
        {
            "scope": scope,
            "names": [source.name for source in sources],
            "hashes": [_hash(source) for source in sources],
            "types": [source.type for source in sources],
            "anchors": [source.anchor for source in sources],
        },
    )
    standing, has_memories = {name for (name, _) in rows if name}, any(held for _, held in rows)
    due = [source for source in CAPSULES if source.name not in standing]
    # It says more of a predicate than that predicate's own capsule does.
    if has_memories and (LAYERS.name not in standing or _redefined(due)):
        due.append(LAYERS)
    return due


def seed_scopes() -> None:
    """At a tick: seed each scope of the Space one is in to which a capsule was not applied as it is now.

    A definition that was deleted since comes back when the scope is next used.
    """
    applied = run_sql(
        "select c.scope from unnest(%(names)s::text[], %(hashes)s::text[]) q(name, hash)"
        " join capsule c on c.name = q.name and c.hash = q.hash group by c.scope having count(*) = %(all)s",
        {
            "names": [source.name for source in CAPSULES],
            "hashes": [_hash(source) for source in CAPSULES],
            "all": len(CAPSULES),
        },
    )
    standing = {scope for (scope,) in applied}
    scopes = Scope.objects.filter(space=current().space_id).order_by("pk").values_list("pk", flat=True)
    for scope in scopes:
        if scope not in standing:
            ensure(scope)


def _redefined(due: Sequence[Source]) -> bool:
    return any(source.name == "mentions" for source in due)


@cache
def _hash(source: Source) -> str:
    return hashlib.sha256(source.text.encode()).hexdigest()


@cache
def _parsed(source: Source) -> tuple[Upsert, ...]:
    """The UPSERTs of a capsule, which holds nothing else."""
    return tuple(statement for statement in parse(source.text).statements if isinstance(statement, Upsert))


_STANDING = (
    "select c.name, false from unnest(%(names)s::text[], %(hashes)s::text[], %(types)s::text[], %(anchors)s::text[])"
    " q(name, hash, type, anchor)"
    " join capsule c on c.scope = %(scope)s and c.name = q.name and c.hash = q.hash"
    " join node n on n.scope = %(scope)s and n.type = q.type and n.name = q.anchor"
    " union all select null, exists"
    " (select 1 from node where scope = %(scope)s and layer = 1 and run is not null)"
    " or exists (select 1 from node where scope = %(scope)s and type = 'Topic' and run is not null)"
)
