"""Memories as rows of pages: what stands for each, and what is said beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.layers.rules.strength import FRAGMENT
from memory.layers.showing_counts import counts_under
from memory.layers.showing_words import kind_of, line_count, more_of, title_of
from memory.layers.statements import Memory
from spaces.access import Binding


@dataclass(frozen=True)
class Row:
    """A memory with the name of its scope; `under` counts what hangs under it, `lines` the lines it rests on."""

    memory: Memory
    scope: str
    under: int = 0

    @property
    def title(self) -> str:
        return title_of(self.memory)

    @property
    def more(self) -> str:
        return more_of(self.memory)

    @property
    def kind(self) -> str:
        return kind_of(self.memory)

    @property
    def lines(self) -> int:
        return line_count(self.memory.sources)


def rows_of(binding: Binding, memories: Sequence[Memory]) -> list[Row]:
    """A row for each, in their order; one statement counts what hangs under them."""
    under = counts_under(binding, [memory.id for memory in memories if memory.layer != FRAGMENT])
    names = binding.names
    return [Row(memory, names[memory.scope], under.get(memory.id, 0)) for memory in memories]
