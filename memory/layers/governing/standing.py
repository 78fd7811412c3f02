"""Pinning, archiving and restoring: whether a memory stands, and whether its strength stands still."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal

from audit.recording import Act
from common.errors import Conflict
from memory.layers.elements import run_sql
from memory.layers.governing.holding import locked
from memory.layers.indexing import index_nodes, unindex_nodes
from memory.layers.models import Reinforcement
from memory.layers.rules.strength import effective_sql
from memory.layers.statements import Memory
from spaces.access import Binding

RESTORED = 0.5
"""The least strength of a memory that was brought back: with less, the next pass would take it again."""

Verb = Literal["pin", "unpin", "archive", "restore"]
Kind = Reinforcement.Kind
_EFFECTIVE = effective_sql("s", "%(at)s::timestamptz")


def change_standing(act: Act, binding: Binding, verb: Verb, ids: Sequence[int], at: datetime) -> int:
    """Pin, unpin, archive or restore memories, all or none; returns how many were not so before.

    Raises NotFound when one is not there, and Conflict for pinning what is archived and for restoring what another
    memory stands in for.
    """
    found = locked(binding, ids, at)
    changing = _VERBS[verb](list(found.values()))
    scope, actor = binding.one.pk, str(binding.caller.actor)
    if changing:
        _DO[verb](scope, changing, at, actor)
    for number in changing[:100]:
        act.record(binding.caller.actor, f"memory.{verb}", f"memory:{number}", scope=scope)
    if len(changing) > 100 or not changing:
        act.record(binding.caller.actor, f"memory.{verb}", scope=scope, asked=len(found), changed=len(changing))
    return len(changing)


def restore_nodes(scope: int, ids: Sequence[int], at: datetime, actor: str, kind: Kind = Kind.RESTORED) -> None:
    """Bring archived memories back, at a strength of 0.5 at least, and into the index again."""
    _set(f"archived_at = null, score = greatest({_EFFECTIVE}, {RESTORED}), scored_at = %(at)s", ids, at)
    note(scope, ids, at, actor, kind)
    index_nodes(scope, ids)


def archive_nodes(scope: int, ids: Sequence[int], at: datetime, actor: str) -> None:
    """Take memories out of every arm of recall; they are kept, and can be restored."""
    _set("archived_at = %(at)s", ids, at)
    note(scope, ids, at, actor, Kind.ARCHIVED)
    unindex_nodes(scope, ids)


def note(scope: int, ids: Sequence[int], at: datetime, actor: str, kind: Kind) -> None:
    """Write down what these memories' strength was set to at the instant `at`."""
    run_sql(
        "insert into reinforcement (node, scope, kind, at, score, tau, pinned, actor)"
        f" select s.node, s.scope, %(kind)s, %(at)s, {_EFFECTIVE}, s.tau, s.pinned, %(actor)s"
        " from node_strength s where s.node = any(%(ids)s) and s.scope = %(scope)s order by s.node",
        {"ids": list(ids), "scope": scope, "at": at, "actor": actor, "kind": kind},
    )


def _pin(scope: int, ids: Sequence[int], at: datetime, actor: str) -> None:
    _set(f"score = {_EFFECTIVE}, scored_at = %(at)s, pinned = true", ids, at)
    note(scope, ids, at, actor, Kind.PINNED)


def _unpin(scope: int, ids: Sequence[int], at: datetime, actor: str) -> None:
    _set("scored_at = %(at)s, pinned = false", ids, at)
    note(scope, ids, at, actor, Kind.UNPINNED)


def _set(assignments: str, ids: Sequence[int], at: datetime) -> None:
    run_sql(f"update node_strength s set {assignments} where s.node = any(%(ids)s)", {"ids": list(ids), "at": at})


def _to_pin(memories: Sequence[Memory]) -> list[int]:
    if any(memory.archived_at is not None for memory in memories):
        raise Conflict("An archived memory cannot be pinned: restore it first.", type="archived")
    return [memory.id for memory in memories if not memory.strength.pinned]


def _to_unpin(memories: Sequence[Memory]) -> list[int]:
    return [memory.id for memory in memories if memory.strength.pinned]


def _to_archive(memories: Sequence[Memory]) -> list[int]:
    return [memory.id for memory in memories if memory.archived_at is None]


def _to_restore(memories: Sequence[Memory]) -> list[int]:
    for memory in memories:
        refuse_replaced(memory)
    return [memory.id for memory in memories if memory.archived_at is not None]


def refuse_replaced(memory: Memory) -> None:
    """Raise Conflict for a memory that another one stands in for, naming it."""
    if memory.superseded_by is not None:
        raise Conflict("This memory was corrected by another one.", type="superseded", by=memory.superseded_by)
    if memory.merged_into is not None:
        raise Conflict("This memory was merged into another one.", type="merged", by=memory.merged_into)


_VERBS: dict[Verb, Callable[[Sequence[Memory]], list[int]]] = {
    "pin": _to_pin,
    "unpin": _to_unpin,
    "archive": _to_archive,
    "restore": _to_restore,
}
_DO: dict[Verb, Callable[[int, Sequence[int], datetime, str], None]] = {
    "pin": _pin,
    "unpin": _unpin,
    "archive": archive_nodes,
    "restore": restore_nodes,
}
