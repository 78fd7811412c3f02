"""What a KIP text says, as a tree. Parameters are values here already; `at` is the place in the text, for messages.

Numbers of the text stay what they were: 1 is an int, 1.0 a float. `Json` is any JSON value.
"""

from dataclasses import dataclass
from typing import Any, Literal

Json = Any
Operator = Literal["==", "!=", "<", ">", "<=", ">="]
Function = Literal["CONTAINS", "STARTS_WITH", "ENDS_WITH", "REGEX"]
Aggregate = Literal["COUNT", "SUM", "AVG", "MIN", "MAX"]
Arithmetic = Literal["ADD", "MUL", "CLAMP", "COALESCE"]
Part = Literal["attributes", "metadata"]


@dataclass(frozen=True)
class Variable:
    """`?name`."""

    name: str
    at: int


@dataclass(frozen=True)
class Path:
    """`?name.field.field`; without fields the variable itself."""

    variable: Variable
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Aggregated:
    """`COUNT(DISTINCT ?x.name)`."""

    function: Aggregate
    is_distinct: bool
    path: Path
    at: int


Expression = Path | Aggregated


@dataclass(frozen=True)
class ConceptMatch:
    """`{type: …, name: …}` or `{id: …}`; a key that is None was absent or null."""

    id: str | None
    type: str | None
    name: str | None
    at: int


@dataclass(frozen=True)
class LinkId:
    """`(id: "…")`."""

    id: str
    at: int


@dataclass(frozen=True)
class Hops:
    """`{least,most}`; `most` None is unbounded as far as the text goes."""

    least: int
    most: int | None


@dataclass(frozen=True)
class Predicates:
    """`"a" | "b"`, of which each may have hops of its own."""

    names: tuple[tuple[str, Hops | None], ...]
    at: int


@dataclass(frozen=True)
class LinkMatch:
    """`(subject, predicate, object)` of a query."""

    subject: "Term"
    predicate: Predicates | Variable
    object: "Term"
    at: int


Term = Variable | ConceptMatch | LinkId | LinkMatch


@dataclass(frozen=True)
class ConceptClause:
    """`?v {…}`."""

    variable: Variable
    match: ConceptMatch


@dataclass(frozen=True)
class LinkClause:
    """`?v (…)` or `(…)`."""

    variable: Variable | None
    match: LinkId | LinkMatch


@dataclass(frozen=True)
class Constant:
    """A JSON value of a filter."""

    value: Json
    at: int


Operand = Path | Constant


@dataclass(frozen=True)
class Comparison:
    """`a == b`."""

    operator: Operator
    left: Operand
    right: Operand
    at: int


@dataclass(frozen=True)
class TextTest:
    """`CONTAINS(a, b)` and its like."""

    function: Function
    left: Operand
    right: Operand
    at: int


@dataclass(frozen=True)
class Membership:
    """`IN(a, […])`."""

    operand: Operand
    values: tuple[Json, ...]
    at: int


@dataclass(frozen=True)
class NullTest:
    """`IS_NULL(path)`, or `IS_NOT_NULL(path)` when `is_null` is False."""

    path: Path
    is_null: bool
    at: int


@dataclass(frozen=True)
class Not:
    """`!condition`."""

    condition: "Condition"


@dataclass(frozen=True)
class And:
    """`a && b && …`."""

    conditions: "tuple[Condition, ...]"


@dataclass(frozen=True)
class Or:
    """`a || b || …`."""

    conditions: "tuple[Condition, ...]"


Condition = Comparison | TextTest | Membership | NullTest | Not | And | Or


@dataclass(frozen=True)
class Filter:
    """`FILTER(condition)`."""

    condition: Condition
    at: int


@dataclass(frozen=True)
class Block:
    """`NOT {…}`, `OPTIONAL {…}`, `UNION {…}`."""

    kind: Literal["NOT", "OPTIONAL", "UNION"]
    clauses: "tuple[Clause, ...]"
    at: int


Clause = ConceptClause | LinkClause | Filter | Block


@dataclass(frozen=True)
class OrderKey:
    """One key of ORDER BY."""

    expression: Expression
    is_descending: bool


@dataclass(frozen=True)
class Find:
    """FIND."""

    expressions: tuple[Expression, ...]
    where: tuple[Clause, ...]
    order: tuple[OrderKey, ...]
    limit: int | None
    cursor: str | None
    at: int


@dataclass(frozen=True)
class ConceptKey:
    """Which concept an UPSERT means: by type and name, or by id alone."""

    id: str | None
    type: str | None
    name: str | None
    at: int


@dataclass(frozen=True)
class LinkKey:
    """Which link an UPSERT means by its ends."""

    subject: "Target"
    predicate: str
    object: "Target"
    at: int


Target = Variable | ConceptKey | LinkId | LinkKey


@dataclass(frozen=True)
class SetLink:
    """An entry of SET PROPOSITIONS."""

    predicate: str
    object: Target
    metadata: dict[str, Json] | None
    at: int


@dataclass(frozen=True)
class ConceptBlock:
    """`CONCEPT ?v {…}`; what was not said is None."""

    variable: Variable | None
    key: ConceptKey
    version: int | None
    attributes: dict[str, Json] | None
    links: tuple[SetLink, ...] | None
    metadata: dict[str, Json] | None
    at: int


@dataclass(frozen=True)
class LinkBlock:
    """`PROPOSITION ?v {…}`."""

    variable: Variable | None
    key: LinkId | LinkKey
    version: int | None
    attributes: dict[str, Json] | None
    metadata: dict[str, Json] | None
    at: int


@dataclass(frozen=True)
class Upsert:
    """One UPSERT of a text."""

    blocks: tuple[ConceptBlock | LinkBlock, ...]
    metadata: dict[str, Json] | None
    at: int


@dataclass(frozen=True)
class Arithmetics:
    """`ADD(a, b)` and its like; an operand is a number, a path of the target, or another of these."""

    function: Arithmetic
    operands: "tuple[int | float | Path | Arithmetics, ...]"
    at: int


@dataclass(frozen=True)
class Update:
    """UPDATE; `attributes` and `metadata` are None where that SET was not said."""

    target: Variable
    attributes: dict[str, Json | Arithmetics] | None
    metadata: dict[str, Json | Arithmetics] | None
    where: tuple[Clause, ...]
    limit: int | None
    at: int


@dataclass(frozen=True)
class Merge:
    """MERGE CONCEPT source INTO target."""

    source: Variable
    target: Variable
    where: tuple[Clause, ...]
    at: int


@dataclass(frozen=True)
class DeleteKeys:
    """DELETE ATTRIBUTES or METADATA."""

    part: Part
    keys: tuple[str, ...]
    target: Variable
    where: tuple[Clause, ...]
    at: int


@dataclass(frozen=True)
class DeleteLinks:
    """DELETE PROPOSITIONS."""

    target: Variable
    where: tuple[Clause, ...]
    at: int


@dataclass(frozen=True)
class DeleteConcepts:
    """DELETE CONCEPT … DETACH."""

    target: Variable
    where: tuple[Clause, ...]
    at: int


@dataclass(frozen=True)
class Describe:
    """DESCRIBE; `name` is what TYPE named."""

    what: Literal["PRIMER", "DOMAINS", "CONCEPT TYPES", "CONCEPT TYPE", "PROPOSITION TYPES", "PROPOSITION TYPE"]
    name: str | None
    limit: int | None
    cursor: str | None
    at: int


@dataclass(frozen=True)
class Search:
    """SEARCH; `mode` is one of keyword, semantic, hybrid, or None where it was not said."""

    what: Literal["CONCEPT", "PROPOSITION"]
    term: str
    type: str | None
    mode: str | None
    threshold: float | None
    limit: int | None
    at: int


@dataclass(frozen=True)
class Export:
    """EXPORT."""

    target: Variable
    where: tuple[Clause, ...]
    limit: int | None
    cursor: str | None
    at: int


Query = Find | Describe | Search | Export
Change = Update | Merge | DeleteKeys | DeleteLinks | DeleteConcepts


@dataclass(frozen=True)
class Text:
    """A whole text: one statement, or UPSERTs one after the other."""

    statements: tuple[Query | Change, ...] | tuple[Upsert, ...]

    @property
    def writes(self) -> bool:
        """Whether it is KML."""
        return not isinstance(self.statements[0], Query)
