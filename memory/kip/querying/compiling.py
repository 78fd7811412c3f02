"""What the parts of one statement share: its values, the names of its tables, and the schema it is checked against."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from memory.kip.graph import HIDDEN, Graph, graph_values, visible_sql
from memory.kip.language.errors import KipError
from memory.kip.language.tree import Json
from memory.kip.schema.registry import Registry, registry


@dataclass
class Compiling:
    """A statement in the making. Every name and value of a text becomes a value, never a part of the SQL."""

    graph: Graph
    values: dict[str, Any] = field(default_factory=dict)
    _tables: int = 0

    def __post_init__(self) -> None:
        self.values.update(graph_values(self.graph))

    def value(self, given: Any) -> str:
        """The placeholder of a value. Raises KIP_1001 for a text that no database can hold."""
        if isinstance(given, str):
            require_storable(given)
        name = f"p{len(self.values)}"
        self.values[name] = given
        return f"%({name})s"

    def json(self, given: Json) -> str:
        """The placeholder of a JSON value, as jsonb."""
        return f"{self.value(json.dumps(given, ensure_ascii=False))}::jsonb"

    def table(self, letter: str) -> str:
        """A name for a table, used once."""
        self._tables += 1
        return f"{letter}{self._tables}"

    def node_conditions(self, table: str) -> list[str]:
        """What holds of every node of the graph that is there for the caller."""
        seen = visible_sql(table) if self.graph.withholds else f"{table}.classification is distinct from 'PHI'"
        return [f"{table}.scope = %(g_scope)s", seen]

    def link_conditions(self, table: str) -> list[str]:
        """What holds of every link of the graph that is there for the caller."""
        own = [f"{table}.scope = %(g_scope)s"]
        if self.graph.withholds:
            own.append(f"not exists (select 1 from hidden where hidden.id = {table}.id)")
        return own

    @property
    def beginning(self) -> str:
        """What a statement begins with whose conditions are of this graph."""
        return f"with recursive {HIDDEN} " if self.graph.withholds else ""

    def table_expressions(self, name: str) -> str:
        """What a statement begins with that has a table expression of its own."""
        return f"{self.beginning.rstrip()}, {name}" if self.beginning else f"with {name}"

    @cached_property
    def registry(self) -> Registry:
        """The types and predicates that the text may name."""
        return registry(self.graph)


def require_storable(text: str) -> None:
    """Raise KIP_1001 for a text with a NUL or half a surrogate pair."""
    if "\0" in text or not _is_unicode(text):
        raise KipError("KIP_1001", "A text holds a character that cannot be stored: NUL, or half of a surrogate pair.")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
