"""Merging memories that say the same: one stays and takes over what the others had; it can be undone as a whole."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import Field

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound, Unprocessable
from common.strict import StrictModel
from common.times import format_instant, parse_instant
from memory.layers.elements import run_sql
from memory.layers.governing.choosing import Memories
from memory.layers.governing.holding import locked
from memory.layers.governing.standing import archive_nodes, note, refuse_replaced
from memory.layers.governing.taking_over import give_back, take_over
from memory.layers.indexing import index_nodes
from memory.layers.models import Node, NodeStrength, Reinforcement
from memory.layers.rules.aliases import aliases_of
from memory.layers.rules.strength import CONCEPT, Strength
from memory.layers.statements import Memory, memories_by_id
from spaces.access import Binding

Kind = Reinforcement.Kind


class MergeInput(StrictModel):
    """Which memories say the same, and which of them stays: the strongest, if it is not said."""

    ids: Annotated[Memories, Field(min_length=2, max_length=50)]
    into: Annotated[int, Field(ge=1, lt=2**63)] | None = None
    preview: bool = False


@dataclass(frozen=True)
class Merge:
    """A merge before it is made: what stays, what goes into it, and its strength then."""

    survivor: Memory
    others: tuple[Memory, ...]
    strength: Strength


def planned(memories: Sequence[Memory], into: int | None, at: datetime) -> Merge:
    """What merging these would do.

    Raises Conflict for one that was replaced already, Unprocessable when they are of different kinds, are archived or
    stand for PHI, and Invalid for an `into` that is not among them.
    """
    for memory in memories:
        refuse_replaced(memory)
    if any(memory.phi_ref is not None for memory in memories):
        raise Unprocessable("name a memory that stands for a PHI fact; such a one is never merged", field="ids")
    if any(memory.archived_at is not None for memory in memories):
        raise Unprocessable("name an archived memory: restore it first", field="ids")
    if len({(memory.layer, memory.type, memory.classification) for memory in memories}) > 1:
        raise Unprocessable("must be of one layer, one type and one classification", field="ids")
    by_id = {memory.id: memory for memory in memories}
    if len(by_id) < 2:
        raise Invalid("must name two memories or more", field="ids")
    if into is not None and into not in by_id:
        raise Invalid("must be one of ids", field="into")
    survivor = by_id[into] if into is not None else max(memories, key=lambda memory: (memory.effective, -memory.id))
    strength = Strength(
        max(memory.effective for memory in memories),
        max(memory.strength.tau for memory in memories),
        at,
        any(memory.strength.pinned for memory in memories),
    )
    others = tuple(by_id[number] for number in sorted(by_id) if number != survivor.id)
    return Merge(survivor, others, strength)


def preview_merge(binding: Binding, given: MergeInput, at: datetime) -> Merge:
    """What a merge would do, without doing it. Raises as `merge`."""
    found = memories_by_id(binding, given.ids, at)
    _refuse_missing(found, given.ids)
    return planned(list(found.values()), given.into, at)


def merge(act: Act, binding: Binding, given: MergeInput, at: datetime) -> int:
    """Merge memories of the bound scope and return the one that stays. Raises NotFound, and as `planned`.

    It gets the links, lines, facts and (of a concept) names of the others, and of strength and τ the greatest of them.
    The others are archived and name it.
    """
    plan = planned(list(locked(binding, given.ids, at).values()), given.into, at)
    scope, actor, survivor = binding.one.pk, str(binding.caller.actor), plan.survivor
    others = [memory.id for memory in plan.others]
    run = uuid4()
    take_over(scope, survivor.id, others, run)
    names = _take_names(plan) if survivor.layer == CONCEPT else []
    _keep_for_undo(plan, run, names, at)
    _strengthen(survivor.id, plan.strength)
    note(scope, [survivor.id], at, actor, Kind.SET)
    archive_nodes(scope, others, at, actor)
    index_nodes(scope, [survivor.id])
    act.record(binding.caller.actor, "memory.merge", f"memory:{survivor.id}", scope=scope, merged=others)
    return survivor.id


def unmerge(act: Act, binding: Binding, number: int, at: datetime) -> int:
    """Undo the latest merge into a memory, or the one in which it went into another; returns the one that had stayed.

    What was merged stands again as it was. Strength that the other gained since is kept. Raises NotFound, and
    Conflict where there is no merge to undo.
    """
    _refuse_missing(memories_by_id(binding, [number], at), [number])
    survivor, kept = _merge_of(number, binding.one.pk)
    others = sorted(kept["ids"])
    locked(binding, [survivor, *others], at)
    scope, actor = binding.one.pk, str(binding.caller.actor)
    give_back(scope, UUID(kept["run"]))
    _drop_names(survivor, kept["names"])
    _weaken(survivor, kept)
    note(scope, [survivor], at, actor, Kind.UNDONE)
    for node in Node.objects.filter(pk__in=others):
        node.metadata.pop("merge", None)
        node.merged_into = None
        node.version += 1
        node.save(update_fields=["metadata", "merged_into", "version"])
    NodeStrength.objects.filter(pk__in=others).update(archived_at=None)
    note(scope, others, at, actor, Kind.UNDONE)
    index_nodes(scope, [survivor, *others])
    act.record(binding.caller.actor, "memory.unmerge", f"memory:{survivor}", scope=scope, again=others)
    return survivor


def standing_for(nodes: Sequence[int]) -> dict[int, int]:
    """For each node the one that stands in for it now: itself, or where corrections and merges lead."""
    rows = run_sql(
        "with recursive way(start, id, step) as (select i, i, 0 from unnest(%(ids)s::bigint[]) i"
        " union all select w.start, coalesce(n.superseded_by, n.merged_into), w.step + 1 from way w"
        "  join node n on n.id = w.id where coalesce(n.superseded_by, n.merged_into) is not null and w.step < 100)"
        " select distinct on (start) start, id from way order by start, step desc",
        {"ids": list(nodes)},
    )
    return dict(rows)


def _refuse_missing(found: dict[int, Memory], ids: Sequence[int]) -> None:
    if len(found) != len(set(ids)):
        raise NotFound("There is no such memory.")


def _take_names(plan: Merge) -> list[str]:
    """Give a concept the names of those that go into it, so that it is found and met by them; returns the new ones."""
    node = Node.objects.get(pk=plan.survivor.id)
    known = {node.name, *aliases_of(node.attributes)}
    told = [name for other in plan.others for name in (other.name, *aliases_of(other.attributes))]
    names = [name for name in dict.fromkeys(told) if name not in known]
    node.attributes["aliases"] = [*aliases_of(node.attributes), *names]
    node.version += 1
    node.save(update_fields=["attributes", "version"])
    return names


def _drop_names(survivor: int, names: Sequence[str]) -> None:
    node = Node.objects.get(pk=survivor)
    if names:
        node.attributes["aliases"] = [name for name in aliases_of(node.attributes) if name not in names]
        node.version += 1
        node.save(update_fields=["attributes", "version"])


def _keep_for_undo(plan: Merge, run: UUID, names: Sequence[str], at: datetime) -> None:
    before = plan.survivor.strength
    kept = {
        "run": str(run),
        "at": format_instant(at),
        "names": list(names),
        "ids": [memory.id for memory in plan.others],
        "score": before.score,
        # JSON has no infinity.
        "tau": str(before.tau),
        "scored_at": format_instant(before.scored_at),
        "pinned": before.pinned,
    }
    run_sql(
        "update node set merged_into = %(into)s, version = version + 1,"
        " metadata = metadata || jsonb_build_object('merge', %(kept)s::jsonb) where id = any(%(ids)s)",
        {"into": plan.survivor.id, "kept": json.dumps(kept), "ids": kept["ids"]},
    )


def _merge_of(number: int, scope: int) -> tuple[int, dict[str, Any]]:
    node = Node.objects.filter(pk=number, scope=scope).first()
    if node is not None and node.merged_into is not None:
        return node.merged_into, node.metadata["merge"]
    merged = Node.objects.filter(scope=scope, merged_into=number)
    kept = [found["merge"] for found in merged.values_list("metadata", flat=True)]
    if not kept:
        raise Conflict("Nothing was merged into this memory.", type="not_merged")
    return number, max(kept, key=lambda found: parse_instant(found["at"]))


def _strengthen(number: int, strength: Strength) -> None:
    NodeStrength.objects.filter(pk=number).update(
        score=strength.score, tau=strength.tau, scored_at=strength.scored_at, pinned=strength.pinned
    )


def _weaken(survivor: int, kept: dict[str, Any]) -> None:
    """Back to the strength before the merge, unless something else set it since."""
    NodeStrength.objects.filter(pk=survivor, scored_at=parse_instant(kept["at"])).update(
        score=kept["score"],
        tau=float(kept["tau"]),
        scored_at=parse_instant(kept["scored_at"]),
        pinned=kept["pinned"],
    )
