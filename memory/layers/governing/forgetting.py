"""Forgetting: what goes with a memory is found and told first, then goes at once, and is kept from coming back."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from audit.recording import Act
from memory.facts.writing import released_ids
from memory.layers.elements import run_sql
from memory.layers.governing.holding import lock, locked
from memory.layers.indexing import index_nodes, unindex_nodes
from memory.layers.models import Node
from memory.layers.rules.aliases import aliases_of
from memory.layers.rules.forgetting import without
from memory.layers.rules.strength import CONCEPT
from memory.layers.statements import Memory
from memory.layers.tombstones import Buried, bury
from spaces.access import Binding

MOST_FACTS = 100


@dataclass
class Reach:
    """What goes when memories are forgotten.

    `older`: what they replaced, by correction or merge. `orphans`: events and concepts left with nothing under them.
    `staying`: events and concepts that lose something. `facts` were made of what goes and of nothing else; facts never
    change, so they stay.
    """

    asked: list[int]
    older: list[int] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    staying: list[int] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    layers: Counter[int] = field(default_factory=Counter)
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def told(self) -> list[int]:
        """Those that are kept from coming back; orphans may, when they are spoken of again."""
        return [*self.asked, *self.older]

    @property
    def all(self) -> list[int]:
        return [*self.asked, *self.older, *self.orphans]


def reach_of(binding: Binding, ids: Sequence[int]) -> Reach:
    """What forgetting these memories of the bound scope reaches."""
    reach = Reach(sorted(set(ids)))
    reach.older = _column(_OLDER, reach.asked)
    events = _column(_ORPHANS.format(predicate="part_of"), reach.told)
    reach.orphans = [*events, *_column(_ORPHANS.format(predicate="mentions"), [*reach.told, *events])]
    reach.staying = _column(_STAYING, reach.all)
    reach.facts = sorted(released_ids(binding, _column(_FACTS, reach.all)))
    reach.layers = Counter(dict(run_sql(_LAYERS, {"ids": reach.all})))
    names = ("links", "lines", "reinforcements", "indexed", "recalls")
    reach.rows = dict(zip(names, run_sql(_ROWS, {"ids": reach.all, "scope": binding.one.pk})[0], strict=True))
    return reach


def forget(
    act: Act,
    binding: Binding,
    ids: Sequence[int],
    at: datetime,
    *,
    reason: str | None = None,
    more: Iterable[Buried] = (),
    elsewhere: Sequence[tuple[int, UUID]] = (),
) -> str:
    """Forget memories and what hangs on them alone; returns the number of the receipt, an audit row without content.

    `more` is kept from coming back as well; `elsewhere` names memories that stay and the sessions whose lines they
    lose. Raises NotFound when a memory is not there, as when it was forgotten before.
    """
    scope, actor = binding.one.pk, str(binding.caller.actor)
    before, keeping = reach_of(binding, ids), {node for node, _ in elsewhere}
    lock(scope, {*before.all, *before.staying, *keeping, *_column(_BESIDE, before.told)})
    # What came to hang on them meanwhile is seen now, and nothing more can come.
    reach = reach_of(binding, ids)
    gone = list(locked(binding, reach.told, at).values())
    beside = _column(_BESIDE, reach.told)
    signs = bury(scope, [*map(_buried, gone), *more], at=at, by=actor, reason=reason or "")
    unindex_nodes(scope, reach.all, forgotten=True)
    _delete(scope, reach.all, by=actor)
    for node, session in elsewhere:
        run_sql(_LESS, {"node": node, "session": session})
    _scrub(reach.staying, [memory.text for memory in gone if memory.phi_ref is None])
    index_nodes(scope, sorted({*reach.staying, *beside, *keeping} - set(reach.all)))
    receipt = str(uuid4())
    act.record(
        binding.caller.actor, "memory.forget", f"receipt:{receipt}", scope=scope, **receipt_of(reach), tombstones=signs
    )
    return receipt


def receipt_of(reach: Reach) -> dict[str, Any]:
    """What goes and what stays, in numbers and ids."""
    return {
        "memories": reach.asked[:MOST_FACTS],
        "count": len(reach.asked),
        "replaced_by_them": len(reach.older),
        "left_empty": len(reach.orphans),
        "layers": {str(layer): count for layer, count in sorted(reach.layers.items())},
        "rows": reach.rows,
        "staying": reach.staying[:MOST_FACTS],
        "facts_that_stay": reach.facts[:MOST_FACTS],
    }


def _buried(memory: Memory) -> Buried:
    lines = tuple((UUID(source.session), source.first, source.last) for source in memory.sources)
    if memory.layer == CONCEPT:
        names = (memory.name, *aliases_of(memory.attributes))
        return Buried(memory.id, memory.layer, memory.type, names=names, lines=lines)
    texts = () if memory.phi_ref is not None else (memory.text, str(memory.attributes.get("title", "")))
    return Buried(memory.id, memory.layer, memory.type, texts=texts, lines=lines)


def _delete(scope: int, ids: Sequence[int], *, by: str) -> None:
    """Nodes with all that the database hangs on them, and what names them without a foreign key."""
    ends, gone = list(ids), list(ids)
    while ends:
        rows = run_sql(
            "delete from link where subject = any(%(ends)s) or object = any(%(ends)s) returning id", {"ends": ends}
        )
        ends = [row[0] for row in rows]
        gone += ends
    _forget_history(gone)
    run_sql(_UNMENTION, {"ids": list(ids), "scope": scope})
    run_sql(_UNPROPOSE, {"ids": list(ids), "scope": scope, "by": by})
    run_sql("delete from node where id = any(%(ids)s)", {"ids": list(ids)})


def _scrub(staying: Sequence[int], texts: Sequence[str]) -> None:
    """Cut the forgotten words out of what events and concepts say; what they said before goes too."""
    _forget_history(staying)
    for node in Node.objects.filter(pk__in=staying):
        told = {name: node.attributes[name] for name in ("title", "content_summary") if name in node.attributes}
        node.text, node.name = without(node.text, texts), without(node.name, texts)
        node.attributes |= {name: without(str(value), texts) for name, value in told.items()}
        node.version += 1
        node.save(update_fields=["text", "name", "attributes", "version"])


def _forget_history(elements: Sequence[int]) -> None:
    run_sql("delete from element_history where element = any(%(ids)s)", {"ids": list(elements)})


def _column(sql: str, ids: Sequence[int]) -> list[Any]:
    return [row[0] for row in run_sql(sql, {"ids": list(ids)})] if ids else []


_OLDER = (
    "with recursive older(id) as (select id from node where superseded_by = any(%(ids)s) or merged_into = any(%(ids)s)"
    " union select n.id from node n join older o on n.superseded_by = o.id or n.merged_into = o.id)"
    " select id from older where id <> all(%(ids)s) order by id"
)
_ORPHANS = (
    "select distinct k.object from link k join node n on n.id = k.object join node_strength s on s.node = n.id"
    " where k.subject = any(%(ids)s) and k.predicate = '{predicate}' and k.object <> all(%(ids)s) and not s.pinned"
    " and not exists (select 1 from link o where o.object = k.object and o.predicate = '{predicate}'"
    "  and o.subject <> all(%(ids)s)) order by 1"
)
_STAYING = (
    "select distinct n.id from link k join node n on n.id = k.object and n.layer in (2, 3)"
    " where k.subject = any(%(ids)s) and k.predicate in ('part_of', 'mentions') and n.id <> all(%(ids)s) order by 1"
)
# Fragments of the lines before and after, whose index holds words of their neighbours.
_BESIDE = (
    "select distinct o.node from node_source r join node_source o on o.session = r.session and o.node <> r.node"
    " and (o.first = r.last + 1 or o.last = r.first - 1) join node n on n.id = o.node and n.layer = 1"
    " where r.node = any(%(ids)s)"
)
_FACTS = (
    "select distinct r.fact from node_fact r where r.node = any(%(ids)s) and not exists (select 1 from node_fact o"
    " where o.scope = r.scope and o.fact = r.fact and o.node <> all(%(ids)s))"
)
_LAYERS = "select layer::int, count(*)::int from node where id = any(%(ids)s) group by layer"
_MENTIONS = "scope = %(scope)s and nodes @> any (select to_jsonb(array[i]) from unnest(%(ids)s::bigint[]) i)"
_ROWS = (
    "select (select count(*) from link where subject = any(%(ids)s) or object = any(%(ids)s)),"
    " (select count(*) from node_source where node = any(%(ids)s)),"
    " (select count(*) from reinforcement where node = any(%(ids)s)),"
    " (select count(*) from node_index where node = any(%(ids)s)),"
    f" (select count(*) from recall_use where {_MENTIONS})"
)
_UNMENTION = (
    "update recall_use set nodes = (select coalesce(jsonb_agg(e order by place), '[]')"
    "  from jsonb_array_elements(nodes) with ordinality x(e, place)"
    "  where e <> all (select to_jsonb(i) from unnest(%(ids)s::bigint[]) i))"
    f" where {_MENTIONS}"
)
# What became of a proposal, and facts that wait and rest on what goes: their words go, and nobody can approve them.
_UNPROPOSE = (
    "update proposal set body = '{}', state = case state when 'waiting' then 'refused' else state end,"
    " decided_at = coalesce(decided_at, now()), decided_by = case state when 'waiting' then %(by)s else decided_by end"
    " where scope = %(scope)s and (node = any(%(ids)s) or (body->>'fragment_node')::bigint = any(%(ids)s))"
)
_LESS = "delete from node_source where node = %(node)s and session = %(session)s"
