"""One group of clauses as the parts of a SELECT: its tables, its conditions, and the column of each variable."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from memory.kip.language.errors import KipError
from memory.kip.language.tree import Variable
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.keys import Keys
from memory.kip.querying.kinds import Kind


@dataclass(frozen=True)
class Column:
    """Where a variable's value is: its SQL, and the tables that hold the row of the node or link, if they are joined.

    `is_exact`: it is the one element of a name or an id, so a walk had better begin there. `may_be_null`: there are
    solutions in which it stands for nothing.
    """

    sql: str
    kind: Kind
    node: str | None = None
    link: str | None = None
    is_exact: bool = False
    may_be_null: bool = False


@dataclass
class Group:
    """A group in the making. `around` has the variables of the group around it, whose columns it sees as its own.

    `is_begun`: something that may have solutions was added, so that a UNION has them beside its own.
    """

    compiling: Compiling
    columns: dict[str, Column] = field(default_factory=dict)
    tables: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    around: dict[str, Column] = field(default_factory=dict)
    is_begun: bool = False
    keys: Keys = field(default_factory=Keys)

    def inner(self) -> "Group":
        """A group that sees the variables of this one."""
        return Group(self.compiling, dict(self.columns), around=dict(self.columns))

    def join(self, table: str, *keys: set[str], name: str = "") -> None:
        """Add a table, or a subquery with its name; `keys` are sets of columns of which each tells its rows apart."""
        self.tables.append(f"cross join {table}")
        self.keys.add(name or table, *keys)

    def require_same(self, one: str, other: str) -> None:
        """Require that two columns are the same."""
        self.require(f"{one} = {other}")
        self.keys.note_same(one, other)

    def tells_apart(self, columns: Iterable[str]) -> bool:
        """Whether no two solutions are the same in these columns."""
        return self.keys.tell_apart(columns)

    def left_join(self, table: str, condition: str) -> None:
        """Add a table of which there need be no row."""
        self.tables.append(f"left join {table} on {condition}")

    def require(self, *conditions: str) -> None:
        """Add conditions."""
        self.conditions.extend(conditions)

    def column(self, variable: Variable) -> Column:
        """The column of a variable. Raises KIP_3001 when nothing binds it."""
        found = self.columns.get(variable.name)
        if found is None:
            raise unbound(variable)
        return found

    def rows_of(self, variable: Variable) -> tuple[str | None, str | None]:
        """The tables with the variable's node and link; what it cannot be is None. They are joined where they are not.

        Of a variable that may be either, one of the two rows is null.
        """
        column = self.column(variable)
        compiling = self.compiling
        if column.node is None and column.kind in (Kind.CONCEPT, Kind.ELEMENT):
            node = compiling.table("n")
            self.left_join(f"node {node}", f"{node}.id = {column.sql}")
            column = replace(column, node=node)
        if column.link is None and column.kind in (Kind.LINK, Kind.ELEMENT):
            link = compiling.table("l")
            self.left_join(f"link {link}", f"{link}.id = {column.sql}")
            column = replace(column, link=link)
        self.columns[variable.name] = column
        return column.node, column.link

    def select(self, columns: str) -> str:
        """The SELECT of these columns."""
        first, *others = self.tables or ["cross join (select) nothing"]
        begun = first.removeprefix("cross join ")
        if begun == first:
            begun = f"(select) nothing {first}"
        where = f" where {' and '.join(self.conditions)}" if self.conditions else ""
        return f"select {columns} from {' '.join([begun, *others])}{where}"


def unbound(variable: Variable) -> KipError:
    """The error of a variable that no clause binds."""
    return KipError("KIP_3001", f"No clause binds ?{variable.name}.", at=variable.at)
