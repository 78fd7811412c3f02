"""The graph behind a fact, in plain Python: each node once and breadth first, cycles, paths of evidence."""

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

EdgeKind = Literal["derivedFrom", "supersedes", "inference"]
# A rule may be named like a fact, and is another node all the same.
Ref = tuple[Literal["fact", "rule"], str]


@dataclass(frozen=True)
class Edge:
    """From a fact to what it names."""

    kind: EdgeKind
    start: str
    end: str

    @property
    def target(self) -> Ref:
        return ("rule" if self.kind == "inference" else "fact", self.end)


@dataclass(frozen=True)
class Walk:
    """The depth of each node in the order it was met, the edges between them, and why something was left out.

    `deeper`: there is more beyond the last step. `crowded`: there was more than the bounds allow.
    """

    depths: dict[Ref, int]
    edges: list[Edge]
    deeper: bool
    crowded: bool


def breadth_first(
    root: str,
    edges_of: Callable[[str], Iterable[Edge]],
    reached: Container[str],
    *,
    max_depth: int,
    most_nodes: int,
    most_edges: int,
) -> Walk:
    """Walk from the fact `root`. Facts that are not in `reached` are left out as too many; rules lead nowhere."""
    depths: dict[Ref, int] = {("fact", root): 0}
    edges: list[Edge] = []
    deeper = crowded = False
    waiting = deque(depths)
    while waiting:
        ref = waiting.popleft()
        for edge in edges_of(ref[1]) if ref[0] == "fact" else ():
            if len(edges) >= most_edges:
                return Walk(depths, edges, deeper, crowded=True)
            target = edge.target
            if target not in depths:
                if depths[ref] >= max_depth:
                    deeper = True
                    continue
                if len(depths) >= most_nodes or (target[0] == "fact" and target[1] not in reached):
                    crowded = True
                    continue
                depths[target] = depths[ref] + 1
                waiting.append(target)
            edges.append(edge)
    return Walk(depths, edges, deeper, crowded)


def has_cycle(edges: Iterable[Edge]) -> bool:
    """Return whether following the edges leads back somewhere (Kahn: what is left when nothing has no way in)."""
    incoming: dict[Ref, int] = defaultdict(int)
    onward: dict[Ref, list[Ref]] = defaultdict(list)
    for edge in edges:
        start: Ref = ("fact", edge.start)
        onward[start].append(edge.target)
        incoming[edge.target] += 1
        incoming[start] += 0
    free = [ref for ref, count in incoming.items() if count == 0]
    done = 0
    while free:
        done += 1
        for end in onward[free.pop()]:
            incoming[end] -= 1
            if incoming[end] == 0:
                free.append(end)
    return done < len(incoming)


def ways(root: str, onward: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Yield the ways from `root` to where nothing leads on, none of them through a node twice.

    There may be very many: take only the first.
    """
    path, on_it, branches = [root], {root}, [iter(onward.get(root, ()))]
    extended = False
    while branches:
        name = next((name for name in branches[-1] if name not in on_it), None)
        if name is not None:
            path.append(name)
            on_it.add(name)
            branches.append(iter(onward.get(name, ())))
            extended = True
            continue
        if extended:
            yield tuple(path)
        extended = False
        branches.pop()
        on_it.discard(path.pop())


def nearest_first(root: str, onward: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the shortest way from `root` to each node that can be reached, the nearest node first."""
    found: dict[str, tuple[str, ...]] = {root: (root,)}
    waiting = deque([root])
    while waiting:
        name = waiting.popleft()
        for end in onward.get(name, ()):
            if end not in found:
                found[end] = (*found[name], end)
                waiting.append(end)
    return found
