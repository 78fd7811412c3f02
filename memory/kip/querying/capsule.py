"""The text of a capsule: an UPSERT of some concepts and links that stands alone."""

import json
from collections.abc import Iterable, Sequence

from memory.kip.answering import ConceptRow, LinkRow, concept_rows, link_rows
from memory.kip.graph import Graph
from memory.kip.language.tree import Json

_DEEPEST = 30
_INTEGERS = range(-(2**63), 2**63)


class Capsule:
    """Concepts first, then links, each after the links that are its ends.

    An end in the set is meant by its handle, one outside by type and name, or as a link by its own ends.
    """

    def __init__(self, graph: Graph, concepts: Sequence[ConceptRow], links: Sequence[LinkRow]) -> None:
        self._handles = {row.id: f"?c{place}" for place, row in enumerate(concepts, 1)}
        self._handles |= {row.id: f"?p{place}" for place, row in enumerate(links, 1)}
        self._links = {row.id: row for row in links}
        self._concepts = {row.id: row for row in concepts}
        self._own = list(self._links)
        self._read_ends(graph)

    @property
    def text(self) -> str:
        """The capsule; empty where there is nothing."""
        concepts = [number for number in self._handles if number not in self._own]
        blocks = [self._concept(self._concepts[number]) for number in concepts]
        blocks += [self._link(self._links[number]) for number in sorted(self._own, key=self._depth_and_id)]
        return f"UPSERT {{\n{''.join(blocks)}}}\n" if blocks else ""

    def _concept(self, row: ConceptRow) -> str:
        inner = f"{_key(row)}{_set('SET ATTRIBUTES', row.attributes)}"
        return f"  CONCEPT {self._handles[row.id]} {{ {inner} }}{_set('WITH METADATA', row.metadata)}\n"

    def _link(self, row: LinkRow) -> str:
        inner = f"{self._ends(row)}{_set('SET ATTRIBUTES', row.attributes)}"
        return f"  PROPOSITION {self._handles[row.id]} {{ {inner} }}{_set('WITH METADATA', row.metadata)}\n"

    def _ends(self, row: LinkRow) -> str:
        return f"({self._end(row.subject)}, {_json(row.predicate)}, {self._end(row.object)})"

    def _end(self, number: int) -> str:
        if number in self._handles:
            return self._handles[number]
        return _key(self._concepts[number]) if number in self._concepts else self._ends(self._links[number])

    def _depth_and_id(self, number: int) -> tuple[int, int]:
        return self._depth(number), number

    def _depth(self, number: int) -> int:
        row = self._links.get(number)
        return 0 if row is None else 1 + max(self._depth(row.subject), self._depth(row.object))

    def _read_ends(self, graph: Graph) -> None:
        """Read the ends that are not in the set, and theirs."""
        missing = self._missing(self._links.values())
        for _ in range(_DEEPEST):
            if not missing:
                return
            self._concepts |= {row.id: row for row in concept_rows(graph, missing)}
            links = link_rows(graph, [number for number in missing if number not in self._concepts])
            self._links |= {row.id: row for row in links}
            missing = self._missing(links)

    def _missing(self, links: Iterable[LinkRow]) -> list[int]:
        ends = {end for row in links for end in (row.subject, row.object)}
        return sorted(ends - self._concepts.keys() - self._links.keys())


def _key(row: ConceptRow) -> str:
    return f"{{type: {_json(row.type)}, name: {_json(row.name)}}}"


def _set(words: str, text: str) -> str:
    kept = {key: value for key, value in json.loads(text).items() if not key.startswith("_")}
    return f" {words} {_json(kept)}" if kept else ""


def _json(value: Json) -> str:
    return json.dumps(_sendable(value), ensure_ascii=False)


def _sendable(value: Json) -> Json:
    """The same value with what jsonb made a long integer a float again."""
    if isinstance(value, dict):
        return {key: _sendable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_sendable(one) for one in value]
    return float(value) if isinstance(value, int) and value not in _INTEGERS else value
