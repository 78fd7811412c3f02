"""The value at a dotted path, as SQL."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.kip.answering import words_sql
from memory.kip.instants import instant_sql
from memory.kip.language.tree import Path
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.groups import Group
from memory.kip.querying.kinds import Kind
from memory.layers.rules.strength import effective_sql

_COLUMNS_OF_NODE = {"type": "type", "name": "name"}
_COLUMNS_OF_LINK = {"predicate": "predicate"}
_ENDS = ("subject", "object")


@dataclass(frozen=True)
class Value:
    """A value as SQL: of type jsonb, or text where it is always a string. Absent, and null in JSON, is NULL."""

    sql: str
    is_text: bool

    @property
    def json(self) -> str:
        """The value as jsonb."""
        return f"to_jsonb({self.sql})" if self.is_text else self.sql

    @property
    def text(self) -> str:
        """The value as text, of a string without its quotes."""
        return self.sql if self.is_text else f"({self.sql} #>> '{{}}')"


NOTHING = Value("null::jsonb", is_text=False)


def value_at(group: Group, path: Path) -> Value:
    """The value at a path; absent for what is not there. Raises KIP_3001 for a variable that nothing binds."""
    column = group.column(path.variable)
    if column.kind is Kind.PREDICATE:
        return NOTHING if path.fields else Value(column.sql, is_text=True)
    node, link = group.rows_of(path.variable)
    found = []
    if node is not None:
        found.append(_of_node(group.compiling, node, path.fields))
    if link is not None:
        found.append(_of_link(group.compiling, link, path.fields))
    found = [value for value in found if value is not NOTHING]
    if len(found) < 2:
        return found[0] if found else NOTHING
    if all(value.is_text for value in found):
        return Value(f"coalesce({', '.join(value.sql for value in found)})", is_text=True)
    return Value(f"coalesce({', '.join(value.json for value in found)})", is_text=False)


def _of_node(compiling: Compiling, node: str, fields: Sequence[str]) -> Value:
    top, rest = (fields[0], fields[1:]) if fields else ("id", ())
    if top == "attributes":
        inside = _inside(compiling, f"{node}.attributes", rest)
        return _or_words(node, inside) if rest == ("text",) else inside
    if top == "metadata":
        return _node_metadata(compiling, node, rest)
    if rest:
        return NOTHING
    if top == "id":
        return Value(f"('C:' || {node}.id)", is_text=True)
    if top == "_type":
        return Value(f"(case when {node}.id is not null then 'ConceptNode' end)", is_text=True)
    return Value(f"{node}.{_COLUMNS_OF_NODE[top]}", is_text=True) if top in _COLUMNS_OF_NODE else NOTHING


def _of_link(compiling: Compiling, link: str, fields: Sequence[str]) -> Value:
    top, rest = (fields[0], fields[1:]) if fields else ("id", ())
    if top == "attributes":
        return _inside(compiling, f"{link}.attributes", rest)
    if top == "metadata":
        return _of_engine(link, rest, f"{link}.updated_at") or _inside(compiling, f"{link}.metadata", rest)
    if rest:
        return NOTHING
    if top == "id":
        return Value(f"('P:' || {link}.id)", is_text=True)
    if top == "_type":
        return Value(f"(case when {link}.id is not null then 'PropositionLink' end)", is_text=True)
    if top in _ENDS:
        return Value(end_sql(f"{link}.{top}"), is_text=True)
    return Value(f"{link}.{_COLUMNS_OF_LINK[top]}", is_text=True) if top in _COLUMNS_OF_LINK else NOTHING


def end_sql(end: str) -> str:
    """What the element with this id is called in answers."""
    return f"(case when exists (select 1 from node z where z.id = {end}) then 'C:' else 'P:' end || {end})"


def _node_metadata(compiling: Compiling, node: str, rest: Sequence[str]) -> Value:
    own = _of_engine(node, rest, f"coalesce({node}.updated_at, {node}.formed_at)")
    if own is not None:
        return own
    if rest == ("_strength",):
        strength = f"to_jsonb({effective_sql('s', '%(g_at)s::timestamptz')})"
        return Value(f"(select {strength} from node_strength s where s.node = {node}.id)", is_text=False)
    kept = _inside(compiling, f"{node}.metadata", rest)
    if rest == ("status",):
        archived = f"exists (select 1 from node_strength s where s.node = {node}.id and s.archived_at is not null)"
        return Value(f"(case when {archived} then '\"archived\"'::jsonb else {kept.sql} end)", is_text=False)
    return kept


def _or_words(node: str, inside: Value) -> Value:
    words = f"case when {words_sql(node)} then to_jsonb({node}.text) end"
    return Value(f"coalesce({inside.sql}, {words})", is_text=False)


def _of_engine(table: str, rest: Sequence[str], updated: str) -> Value | None:
    if rest == ("_version",):
        return Value(f"to_jsonb({table}.version)", is_text=False)
    return Value(instant_sql(updated), is_text=True) if rest == ("_updated_at",) else None


def _inside(compiling: Compiling, column: str, rest: Sequence[str]) -> Value:
    if not rest:
        return Value(column, is_text=False)
    if len(rest) == 1:
        inside = f"{column} -> {compiling.value(rest[0])}::text"
    else:
        inside = f"{column} #> {compiling.value(list(rest))}::text[]"
    return Value(f"nullif({inside}, 'null')", is_text=False)
