"""Taking hold of memories for the time of a change, in the one order that everybody keeps."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from common.errors import NotFound
from memory.layers.elements import run_sql
from memory.layers.statements import Memory, memories_by_id
from spaces.access import Binding


def locked(binding: Binding, ids: Sequence[int], at: datetime) -> dict[int, Memory]:
    """The memories with these ids, locked until the transaction ends. Raises NotFound when one is not there.

    Strengths come first, then nodes, each in the order of ids, as in a recall: so nobody waits in a circle.
    """
    named = set(ids)
    lock(binding.one.pk, named)
    found = memories_by_id(binding, sorted(named), at)
    if len(found) != len(named):
        raise NotFound("There is no such memory.")
    return found


def lock(scope: int, ids: Iterable[int]) -> None:
    """Lock what is there of these nodes, whether anybody may know of it or not."""
    values = {"ids": sorted(ids), "scope": scope}
    run_sql(
        "select 1 from node_strength where node = any(%(ids)s) and scope = %(scope)s order by node for update", values
    )
    run_sql("select 1 from node where id = any(%(ids)s) and scope = %(scope)s order by id for update", values)
