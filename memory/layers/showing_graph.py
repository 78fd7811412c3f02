"""The neighbourhood of a memory: what is linked to it within a few hops, as far as the reader may know."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory.layers.rules.graph_drawing import hops_from
from memory.layers.statements import Memory, Source, fetched, memories_by_id, released_node_sql
from memory.phi.gate import gate_values, released_sql
from memory.sessions.models import Session
from spaces.access import Binding

MOST = 200
# Of one memory at one hop; the nearest layers above come first.
MOST_OF_ONE = 40


@dataclass(frozen=True)
class GraphLink:
    """A link between two memories that are both shown."""

    start: int
    predicate: str
    end: int


@dataclass
class Neighbourhood:
    """The centre first, then the nearest; `crowded` says that there is more than is shown.

    `sessions` are those that shown fragments rest on, and `rests` which lines of which.
    """

    centre: Memory
    memories: list[Memory] = field(default_factory=list)
    hops: dict[int, int] = field(default_factory=dict)
    links: list[GraphLink] = field(default_factory=list)
    sessions: dict[str, Session] = field(default_factory=dict)
    rests: list[tuple[int, Source]] = field(default_factory=list)
    crowded: bool = False


def neighbourhood(
    binding: Binding,
    centre: Memory,
    at: datetime,
    *,
    hops: int,
    most: int,
    layers: Iterable[int] = (0, 1, 2, 3),
    predicates: Sequence[str] = ("part_of", "mentions", "next"),
) -> Neighbourhood:
    """At most `most` boxes, sessions among them, within `hops` of the centre.

    What is withheld, archived or replaced is left out, and nothing is reached through it.
    """
    shown = set(layers)
    found, pairs, crowded = _walk(binding, centre, at, hops, most, shown, predicates)
    distance = hops_from(centre.id, pairs)
    near = sorted(
        (memory for memory in found.values() if memory.layer in shown or memory.id == centre.id),
        key=lambda memory: (distance.get(memory.id, hops), -memory.layer, -memory.id),
    )
    made = Neighbourhood(centre, near[:most], distance, crowded=crowded or len(near) > most)
    made.links = _links_among([memory.id for memory in made.memories], predicates)
    if 0 in shown:
        _add_sessions(binding, made, most)
    return made


def _walk(
    binding: Binding,
    centre: Memory,
    at: datetime,
    hops: int,
    most: int,
    layers: set[int],
    predicates: Sequence[str],
) -> tuple[dict[int, Memory], list[tuple[int, int]], bool]:
    found, frontier, crowded = {centre.id: centre}, [centre.id], False
    pairs: list[tuple[int, int]] = []
    for _ in range(hops):
        values = {"ids": frontier, "predicates": list(predicates), "most": MOST_OF_ONE + 1}
        rows = fetched(_NEXT, gate_values(binding) | values)
        fresh = list(dict.fromkeys(row["other"] for row in rows if row["other"] not in found))
        crowded = crowded or len(fresh) > 2 * most or _any_is_full(rows)
        there = memories_by_id(binding, fresh[: 2 * most], at)
        found |= {
            number: memory
            for number, memory in there.items()
            if memory.stands and memory.scope == centre.scope and memory.layer in layers
        }
        pairs += [(row["id"], row["other"]) for row in rows if row["other"] in found]
        frontier = [number for number in fresh if number in found]
        if not frontier:
            break
    return found, pairs, crowded


def _any_is_full(rows: Sequence[dict[str, int]]) -> bool:
    counts: dict[int, int] = {}
    for row in rows:
        counts[row["id"]] = counts.get(row["id"], 0) + 1
    return any(count > MOST_OF_ONE for count in counts.values())


def _links_among(ids: Sequence[int], predicates: Sequence[str]) -> list[GraphLink]:
    rows = fetched(
        "select subject, predicate, object from link where subject = any(%(ids)s) and object = any(%(ids)s)"
        " and predicate = any(%(predicates)s) order by subject, predicate, object",
        {"ids": list(ids), "predicates": list(predicates)},
    )
    return [GraphLink(row["subject"], row["predicate"], row["object"]) for row in rows]


def _add_sessions(binding: Binding, made: Neighbourhood, most: int) -> None:
    """The sessions that fragments rest on, or the centre itself where no fragment is shown, as far as there is room."""
    resting = [memory for memory in made.memories if memory.layer == 1] or [made.centre]
    named = list(dict.fromkeys(source.session for memory in resting for source in memory.sources))
    rows = fetched(
        "select s.id::text from (select z.*, case when z.classification = 'PHI' then true end sealed from session z"
        f" where z.id = any(%(ids)s::uuid[]) and z.scope = any(%(scopes)s)) s where {released_sql('s')}",
        gate_values(binding) | {"ids": named, "scopes": binding.scope_ids},
    )
    released = {row["id"] for row in rows}
    room = most - len(made.memories)
    chosen = [name for name in named if name in released][: max(room, 0)]
    made.crowded = made.crowded or len(chosen) < len(released)
    made.sessions = {str(pk): session for pk, session in Session.objects.in_bulk(chosen).items()}
    seen: set[tuple[int, str]] = set()
    for memory in resting:
        for source in memory.sources:
            if source.session in made.sessions and (memory.id, source.session) not in seen:
                seen.add((memory.id, source.session))
                made.rests.append((memory.id, source))


def central_memory(binding: Binding) -> int | None:
    """A memory to begin with where none is named: the newest event, else the newest concept, else the newest."""
    rows = fetched(
        "select n.id from node n join node_strength s on s.node = n.id and s.archived_at is null"
        " where n.scope = any(%(scopes)s) and n.layer between 1 and 3 and n.phi_ref is null"
        " and n.classification is distinct from 'PHI' and n.superseded_by is null and n.merged_into is null"
        " order by case n.layer when 2 then 0 when 3 then 1 else 2 end, n.id desc limit 1",
        {"scopes": binding.scope_ids},
    )
    return rows[0]["id"] if rows else None


_NEXT = (
    "select p.id, c.other from unnest(%(ids)s::bigint[]) p(id) cross join lateral ("
    " select w.other from (select k.object other, k.predicate from link k where k.subject = p.id union all"
    "  select k.subject, k.predicate from link k where k.object = p.id) w"
    " join node n on n.id = w.other and n.layer between 1 and 3"
    f" where w.predicate = any(%(predicates)s) and {released_node_sql()}"
    " order by n.layer desc, n.id desc limit %(most)s) c"
)
