"""Which columns tell the rows of a join apart: where they do, nothing needs to be sorted to find duplicates."""

from collections.abc import Iterable
from dataclasses import dataclass, field

_COLUMNS = ("id", "subject", "object", "predicate")


@dataclass
class Keys:
    """For each table of a join its keys, as sets of columns, and which columns are the same.

    A table without any key is never told apart.
    """

    _tables: dict[str, tuple[set[str], ...]] = field(default_factory=dict)
    _same: list[tuple[str, str]] = field(default_factory=list)

    def add(self, table: str, *keys: set[str]) -> None:
        """Note a table and its keys."""
        self._tables[table] = keys

    def note_same(self, one: str, other: str) -> None:
        """Note that two columns are the same."""
        self._same.append((one, other))

    def tell_apart(self, columns: Iterable[str]) -> bool:
        """Whether these columns determine a row of every table."""
        known, open_tables, before = set(columns), dict(self._tables), -1
        while before != len(known) + len(open_tables):
            before = len(known) + len(open_tables)
            for one, other in self._same:
                if one in known or other in known:
                    known |= {one, other}
            for table in [table for table, keys in open_tables.items() if any(key <= known for key in keys)]:
                del open_tables[table]
                known |= {f"{table}.{column}" for column in _COLUMNS}
        return not open_tables
