"""What stands beside one memory on its page: what it became, what it replaced, its links, its facts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.facts.reading import facts_by_id
from memory.facts.views import FactView
from memory.layers.showing_words import link_words
from memory.layers.statements import Memory, fetched, memories_by_id
from memory.layers.tracing import LinkedMemory, facts_of, links_of
from spaces.access import Binding

MOST_ABOVE = 30
MOST_LINKS = 40
MOST_REVISIONS = 50


@dataclass(frozen=True)
class Above:
    """A memory that another became part of or mentions, and what that one became in turn."""

    memory: Memory
    above: tuple[Memory, ...] = ()


@dataclass(frozen=True)
class LinkGroup:
    """Links of one kind and direction: what they are called, the memories at their other ends, how many more."""

    words: str
    memories: list[Memory]
    more: int


@dataclass(frozen=True)
class Revision:
    """A memory that came before or after another: corrected by it or merged into it."""

    memory: Memory
    how: str
    is_this: bool


def became_of(binding: Binding, memory: Memory, at: datetime) -> list[Above]:
    """What a memory became: events it is part of with what they mention, and concepts it mentions itself."""
    direct = _up([memory.id])
    further = _up([other for _, other in direct])
    numbers = list(dict.fromkeys(other for _, other in [*direct, *further]))
    found = memories_by_id(binding, numbers, at)
    shown = []
    under_events: set[int] = set()
    for _, number in direct:
        if number in found:
            above = [found[other] for one, other in further if one == number and other in found]
            under_events |= {other.id for other in above}
            shown.append(Above(found[number], tuple(above)))
    return [each for each in shown if each.memory.id not in under_events or each.above]


def grouped_links(binding: Binding, memory: Memory, at: datetime) -> list[LinkGroup]:
    """The links of a memory both ways, by what they say; at most 40 memories of each kind."""
    groups: dict[tuple[str, str], list[LinkedMemory]] = {}
    for link in links_of(binding, memory):
        groups.setdefault((link.predicate, link.direction), []).append(link)
    ids = {link.other for links in groups.values() for link in links[:MOST_LINKS]}
    found = memories_by_id(binding, sorted(ids), at)
    return [
        LinkGroup(
            link_words(*key),
            [found[link.other] for link in links[:MOST_LINKS] if link.other in found],
            max(len(links) - MOST_LINKS, 0),
        )
        for key, links in sorted(groups.items(), key=lambda item: (item[0][1] == "in", item[0][0]))
    ]


def revisions_of(binding: Binding, memory: Memory, at: datetime) -> list[Revision]:
    """The line of corrections and merges that leads through a memory, oldest first; only itself where there is none."""
    rows = fetched(_REVISIONS, {"id": memory.id, "scope": memory.scope})
    found = memories_by_id(binding, [row["id"] for row in rows], at)
    return [
        Revision(found[row["id"]], _how(found[row["id"]]), row["id"] == memory.id) for row in rows if row["id"] in found
    ]


def shown_facts(binding: Binding, memory: Memory) -> list[FactView]:
    """The facts that were made of what a memory says, as far as they are released."""
    return facts_by_id(binding, facts_of(binding, [memory.id])[memory.id])


def _how(memory: Memory) -> str:
    if memory.superseded_by is not None:
        return "corrected"
    return "merged into another" if memory.merged_into is not None else "stands"


def _up(ids: Sequence[int]) -> list[tuple[int, int]]:
    rows = fetched(
        "select k.subject, k.object from link k join node n on n.id = k.object where k.subject = any(%(ids)s)"
        " and k.predicate in ('part_of', 'mentions') and n.superseded_by is null and n.merged_into is null"
        f" order by n.layer, k.object limit {MOST_ABOVE}",
        {"ids": list(ids)},
    )
    return [(row["subject"], row["object"]) for row in rows]


_REVISIONS = (
    "with recursive later(id, step) as (select %(id)s::bigint, 0 union all"
    " select coalesce(n.superseded_by, n.merged_into), l.step + 1 from later l join node n on n.id = l.id"
    f"  where coalesce(n.superseded_by, n.merged_into) is not null and l.step < {MOST_REVISIONS}),"
    " earlier(id, step) as (select %(id)s::bigint, 0 union all"
    " select n.id, e.step + 1 from earlier e join node n on n.superseded_by = e.id or n.merged_into = e.id"
    f"  where e.step < {MOST_REVISIONS} and n.scope = %(scope)s)"
    " select id, min(step) step from (select id, step from later union all select id, -step from earlier) a"
    f" group by id order by 2, 1 limit {MOST_REVISIONS}"
)
