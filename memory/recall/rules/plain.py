"""The plain order of recall: what spreading activated by decayed score × activation, then words, then recent lines."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlainRow:
    """A memory in the plain order: `step` says what put it there ("spreading", "words" or "recent lines")."""

    id: int
    step: str
    score: float


def plain_order(
    activated: Iterable[tuple[int, float]], words: Iterable[tuple[int, float]], recent: Iterable[tuple[int, float]]
) -> list[PlainRow]:
    """Return the three lists of (id, score), each by its score, one behind the other; an id stands once, at its first.

    Scores of `activated` are decayed score × activation, of the others BM25; they are not comparable between lists.
    """
    seen: set[int] = set()
    order: list[PlainRow] = []
    for step, rows in (("spreading", activated), ("words", words), ("recent lines", recent)):
        for identity, score in sorted(rows, key=lambda row: (-row[1], row[0])):
            if identity not in seen:
                seen.add(identity)
                order.append(PlainRow(identity, step, score))
    return order
