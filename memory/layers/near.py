"""Indexes of their own for large scopes: HNSW over the fragments up to a bound; younger ones are searched exactly.

No insert waits for HNSW, and no scope is searched through another's vectors. The application may not alter tables, so
these are made as the role that owns them. Source: docs/benchmarks.md, and pgvector's README on HNSW.
"""

import structlog
from django.db import connections
from django.db.backends.utils import CursorWrapper
from django.db.models import Q

from audit.recording import SYSTEM
from memory.embedding import MOST_DIMENSIONS
from memory.layers.elements import run_sql
from memory.layers.models import Reembedding, ScopeStat
from spaces.databases.entering import current
from spaces.databases.provisioning import as_owner
from spaces.databases.transactions import memory_transaction

# Rows at 256 dimensions; wider vectors take longer to scan, and fewer of them are enough.
FROM_ROWS = 25_000
DOWN_TO = 15_000
_DIMENSIONS = 256
M, EF_CONSTRUCTION, EF_SEARCH = 24, 128, 200
_LOCK = 0x6B6E6E72
log = structlog.get_logger()


def has_large_scopes() -> bool:
    """Whether the Space one is in has a scope that should have an index of its own, or another than it has."""
    return bool(_due())


def keep_near_indexes() -> None:
    """Make, renew or drop the index of each scope that asks for it. One process at a time; may be cut short."""
    due = _due()
    if not due:
        return
    with as_owner(current().alias) as owner, connections[owner].cursor() as cursor:
        cursor.execute("select pg_try_advisory_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            return
        try:
            for stat in due:
                _renew(stat, owner)
        finally:
            cursor.execute("select pg_advisory_unlock(%s)", [_LOCK])


def drop_near_index(scope: int) -> None:
    """Let a scope be searched exactly: its index is of its vectors as they are, and would refuse others."""
    if not ScopeStat.objects.filter(scope=scope, near_bound__isnull=False).exists() and not _names(scope):
        return
    with memory_transaction() as act:
        ScopeStat.objects.filter(scope=scope).update(near_bound=None)
        act.record(SYSTEM, "index.near", scope=scope, bound=0)
    with as_owner(current().alias) as owner, connections[owner].cursor() as cursor:
        _drop(cursor, scope, kept=None)


def _due() -> list[ScopeStat]:
    # While vectors of another length are on their way, an index would be in theirs.
    if Reembedding.objects.filter(state=Reembedding.State.RUNNING).exists():
        return []
    large = ScopeStat.objects.filter(Q(near_bound__isnull=False) | Q(rows__gte=_rows(FROM_ROWS, MOST_DIMENSIONS)))
    return [stat for stat in large if _is_due(stat)]


def _is_due(stat: ScopeStat) -> bool:
    if stat.near_bound is None:
        return bool(stat.rows >= _rows(FROM_ROWS, stat.dimensions))
    if stat.rows < _rows(DOWN_TO, stat.dimensions):
        return True
    return _younger(stat) >= _rows(FROM_ROWS, stat.dimensions)


def _rows(rows: int, dimensions: int) -> int:
    return rows * _DIMENSIONS // max(dimensions, _DIMENSIONS)


def _younger(stat: ScopeStat) -> int:
    rows = run_sql(
        "select count(*) from node_index where scope = %(scope)s and layer = 1 and node > %(bound)s",
        {"scope": stat.scope, "bound": stat.near_bound},
    )
    return int(rows[0][0])


def _renew(stat: ScopeStat, owner: str) -> None:
    """A new index is taken into use before the old one goes."""
    bound = None
    if stat.rows >= _rows(DOWN_TO, stat.dimensions):
        bound = run_sql(
            "select max(node) from node_index where scope = %(scope)s and layer = 1 and embedding is not null",
            {"scope": stat.scope},
        )[0][0]
    with connections[owner].cursor() as cursor:
        _drop(cursor, stat.scope, kept=stat.near_bound)
        if bound is not None and bound != stat.near_bound:
            cursor.execute(_create(stat, int(bound)))
        with memory_transaction() as act:
            # The scope may have been moved to another embedder meanwhile.
            same = ScopeStat.objects.filter(scope=stat.scope, embedder=stat.embedder).update(near_bound=bound)
            bound = bound if same else None
            act.record(SYSTEM, "index.near", scope=stat.scope, bound=bound or 0)
        _drop(cursor, stat.scope, kept=bound)
    log.info("near_index", scope=stat.scope, bound=bound)


def _create(stat: ScopeStat, bound: int) -> str:
    scope, dimensions = int(stat.scope), int(stat.dimensions)
    return (
        f"create index concurrently {_name(scope, bound)} on node_index using hnsw"
        f" ((embedding::halfvec({dimensions})) halfvec_ip_ops) with (m = {M}, ef_construction = {EF_CONSTRUCTION})"
        f" where scope = {scope} and layer = 1 and node <= {bound}"
    )


def _drop(cursor: CursorWrapper, scope: int, *, kept: int | None) -> None:
    """Drop this scope's indexes but the one in use: older ones, and any whose making was cut off."""
    for name in _names(scope):
        if kept is None or name != _name(scope, kept):
            cursor.execute(f"drop index concurrently if exists {name}")


def _names(scope: int) -> list[str]:
    rows = run_sql(
        r"select indexrelid::regclass::text from pg_index where indrelid = 'node_index'::regclass"
        r" and indexrelid::regclass::text like %(pattern)s",
        {"pattern": f"near\\_{int(scope)}\\_%"},
    )
    return [row[0] for row in rows]


def _name(scope: int, bound: int) -> str:
    return f"near_{int(scope)}_{int(bound)}"
