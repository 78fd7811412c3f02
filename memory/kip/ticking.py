"""What KIP does at a tick: scopes are seeded, and what has expired is archived."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from audit.recording import SYSTEM, Act
from common.times import now
from memory.kip.seeding import seed_scopes
from memory.layers.elements import run_sql
from memory.layers.governing.standing import archive_nodes
from spaces.databases.entering import current
from spaces.databases.transactions import attempted
from spaces.hinting import due_by

_AT_ONCE = 1_000
# An experience and its steps are looked at before they go: clean-up does that.
_KEPT = ("Experience", "ExperienceStep")


def expiry_tick() -> None:
    """Seed what is not seeded, archive what has expired, and have the tick come back when the next element does."""
    seed_scopes()
    at = now()
    while expire(at):
        pass
    following = run_sql(_NEXT, {"kept": list(_KEPT)})[0][0]
    if following is not None:
        due_by(current().space_id, max(following, at))


def expire(at: datetime) -> int:
    """Archive up to a thousand concepts and as many links whose `expires_at` has come; how many there were.

    Each keeps all it holds; KIP shows it with the status `archived`, and it leaves recall and SEARCH.
    """
    values: dict[str, Any] = {"at": at, "most": _AT_ONCE, "kept": list(_KEPT)}
    if not run_sql(_DUE, values)[0][0]:
        return 0
    return attempted(lambda act: _expire(act, values, at))


def _expire(act: Act, values: dict[str, Any], at: datetime) -> int:
    nodes = run_sql(_EXPIRE_NODES, values)
    links = run_sql(_EXPIRE_LINKS, values | {"actor": str(SYSTEM)})
    by_scope: dict[int, list[int]] = {}
    for node, scope in nodes:
        by_scope.setdefault(scope, []).append(node)
    for scope, ids in sorted(by_scope.items()):
        archive_nodes(scope, _live(ids), at, str(SYSTEM))
    act.record(SYSTEM, "kip.expire", concepts=len(nodes), propositions=len(links))
    return len(nodes) + len(links)


def _live(ids: Sequence[int]) -> list[int]:
    """Those that a decay pass or a person has not archived already."""
    rows = run_sql(
        "select node from node_strength where node = any(%(ids)s) and archived_at is null order by node",
        {"ids": list(ids)},
    )
    return [node for (node,) in rows]


_NODES_DUE = "expires_at <= %(at)s and type <> all(%(kept)s)"
_DUE = (
    f"select exists (select 1 from node where {_NODES_DUE}) or exists (select 1 from link where expires_at <= %(at)s)"
)
_NEXT = (
    "select least((select min(expires_at) from node where expires_at is not null and type <> all(%(kept)s)),"
    " (select min(expires_at) from link where expires_at is not null))"
)


_EXPIRE_NODES = (
    f"with due as materialized (select id from node where {_NODES_DUE}"
    "  order by id limit %(most)s for update skip locked)"
    " update node n set expires_at = null from due where n.id = due.id returning n.id, n.scope"
)
# A link has no strength to be archived: its metadata says so, and its history how it was.
_EXPIRE_LINKS = (
    "with due as materialized (select id, version, attributes, metadata from link where expires_at <= %(at)s"
    "  order by id limit %(most)s for update skip locked),"
    " changed as (update link k set expires_at = null, updated_at = %(at)s, version = k.version + 1,"
    '  metadata = k.metadata || \'{"status": "archived"}\' from due where k.id = due.id returning k.*),'
    " kept as (insert into element_history"
    "  (element, scope, kind, version, at, actor, act, names, attributes, metadata)"
    "  select k.id, k.scope, 'P', s.version, %(at)s, s.actor, s.act, jsonb_build_object("
    "   'subject', k.subject, 'predicate', k.predicate, 'object', k.object), s.attributes, s.metadata"
    "  from changed k join due d on d.id = k.id cross join lateral (values"
    "   (0, d.version, '', 'found', d.attributes, d.metadata),"
    "   (1, k.version, %(actor)s, 'expire', k.attributes, k.metadata))"
    "   s(turn, version, actor, act, attributes, metadata)"
    "  where s.turn = 1 or not exists (select 1 from element_history h where h.element = k.id)"
    "  order by k.id, s.turn)"
    " select id from changed order by id"
)
