"""Which lines of a Claude Code file are the conversation: the path to the newest leaf of each tree in it.

Every line names its parent. Rewinding leaves branches that were not continued. A compaction starts a tree of its own,
and so may a line whose parent is in another file: all trees are kept, one after the other.
"""

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(slots=True)
class Node:
    """What is kept in memory of a line. `kind` is user or assistant, or empty for a line that only links others."""

    number: int
    offset: int
    length: int
    kind: str
    session: str | None
    parent: str | None
    logical_parent: str | None
    at: float
    message: str | None
    calls: tuple[str, ...]
    answers: tuple[str, ...]


Nodes = dict[str, Node]


def conversation(nodes: Nodes) -> list[str]:
    """Return the ids of the lines that make up the conversation, in the order in which it went.

    Beside the path there are the other blocks of a message on it, which hang as siblings where tools ran in
    parallel, and the results of the calls they made.
    """
    parents = {uuid: _parent(node, nodes) for uuid, node in nodes.items()}
    roots = _roots(parents)
    leaves: dict[str, str] = {}
    for uuid in _leaves(nodes, parents):
        best = leaves.get(roots[uuid])
        if best is None or _newness(nodes[uuid]) >= _newness(nodes[best]):
            leaves[roots[uuid]] = uuid
    path: list[str] = []
    for root in sorted(leaves, key=lambda uuid: nodes[uuid].number):
        path += _path(leaves[root], parents)
    return _with_siblings([uuid for uuid in path if nodes[uuid].kind], nodes)


def _parent(node: Node, nodes: Nodes) -> str | None:
    if node.parent in nodes:
        return node.parent
    return node.logical_parent if node.logical_parent in nodes else None


def _newness(node: Node) -> tuple[float, int]:
    return (node.at, node.number)


def _roots(parents: dict[str, str | None]) -> dict[str, str]:
    """Return the root of each line; a circle, which no honest file has, is cut open where it was entered."""
    roots: dict[str, str] = {}
    for uuid in parents:
        way: dict[str, None] = {}
        at = uuid
        while at not in roots and at not in way:
            way[at] = None
            parent = parents[at]
            if parent is None:
                break
            at = parent
        if at in way and parents[at] is not None:
            parents[at] = None
        root = roots.get(at, at)
        roots.update(dict.fromkeys(way, root))
    return roots


def _leaves(nodes: Nodes, parents: dict[str, str | None]) -> list[str]:
    """Return the user and assistant lines under which there is no other."""
    continued: set[str] = set()
    for uuid, node in nodes.items():
        above = parents[uuid] if node.kind else None
        while above is not None and above not in continued:
            continued.add(above)
            above = parents[above]
    return [uuid for uuid, node in nodes.items() if node.kind and uuid not in continued]


def _path(leaf: str, parents: dict[str, str | None]) -> list[str]:
    path = [leaf]
    while (parent := parents[path[-1]]) is not None:
        path.append(parent)
    return path[::-1]


def _with_siblings(path: list[str], nodes: Nodes) -> list[str]:
    places = {uuid: (place, 0, nodes[uuid].number) for place, uuid in enumerate(path)}
    members: dict[str, list[tuple[int, int]]] = {}
    for place, uuid in enumerate(path):
        if (message := nodes[uuid].message) is not None:
            members.setdefault(message, []).append((nodes[uuid].number, place))
    for found in members.values():
        found.sort()
    calls: dict[str, int] = {}
    for uuid, node in nodes.items():
        if node.message is not None and node.message in members:
            on_path = members[node.message]
            before = bisect_right(on_path, (node.number, len(path)))
            beside = (on_path[before - 1][1], 1) if before else (on_path[0][1], -1)
            places.setdefault(uuid, (*beside, node.number))
            calls.update(dict.fromkeys(node.calls, on_path[-1][1]))
    answered = {call for uuid in places for call in nodes[uuid].answers}
    for uuid, node in nodes.items():
        missing = [call for call in node.answers if call in calls and call not in answered]
        if missing and uuid not in places:
            places[uuid] = (max(calls[call] for call in missing), 2, node.number)
            answered.update(missing)
    return sorted(places, key=places.__getitem__)
