"""WHERE, FIND and the META statements: from rules to the tree."""

from typing import Any, cast

from memory.kip.language import tree
from memory.kip.language.errors import KipError
from memory.kip.language.faults import syntax
from memory.kip.language.given import (
    integer_given,
    number_given,
    scalar_given,
    scalars_given,
    string_given,
    variable_of,
)
from memory.kip.language.piece import Piece

MOST_HOPS = 10
_MODES = ("keyword", "semantic", "hybrid")


class PatternBuilder:
    """The rules of WHERE."""

    def variable(self, name: Piece) -> tree.Variable:
        return variable_of(name)

    def path(self, written: Piece) -> tree.Path:
        name, *fields = written.value.split(".")
        return tree.Path(tree.Variable(name, written.at), tuple(fields))

    def where(self, *clauses: tree.Clause) -> tuple[tree.Clause, ...]:
        return clauses

    def concept_clause(self, name: Piece, match: tree.ConceptMatch) -> tree.ConceptClause:
        return tree.ConceptClause(variable_of(name), match)

    def link_clause(self, name: Piece | None, match: tree.LinkId | tree.LinkMatch) -> tree.LinkClause:
        if name is not None and _has_hops(match):
            raise syntax(
                f"?{name.value} cannot name a path of several links.",
                f"Leave ?{name.value} out, or leave the hops {{…}} out.",
                name.at,
            )
        return tree.LinkClause(variable_of(name) if name else None, match)

    def block(self, kind: Piece, *clauses: tree.Clause) -> tree.Block:
        return tree.Block(kind.value, clauses, kind.at)

    def pair(self, key: Piece, value: Piece) -> tuple[Piece, Piece]:
        return key, value

    def concept(self, *parts: Any) -> tree.ConceptMatch:
        said = named_keys(parts[1::2])
        at = parts[0].at
        if not said:
            raise syntax("The pattern {…} says nothing: null counts as absent.", "Give id, type or name.", at)
        if "id" in said and len(said) > 1:
            raise syntax("An id stands alone.", "Leave type and name out: {id: …} names one concept.", at)
        return tree.ConceptMatch(said.get("id"), said.get("type"), said.get("name"), at)

    def link_id(self, opening: Piece, key: Piece, _colon: Piece, given: Piece, _closing: Piece) -> tree.LinkId:
        if key.value != "id":
            raise syntax(
                f"A link is named by its id, not by `{key.value}`.",
                'Write (id: "…"), or (subject, "predicate", object).',
                key.at,
            )
        return tree.LinkId(string_given(given), opening.at)

    def link(self, opening: Piece, *parts: Any) -> tree.LinkMatch:
        return tree.LinkMatch(parts[0], parts[2], parts[4], opening.at)

    def predicates(self, *alternatives: tuple[Piece, tree.Hops | None]) -> tree.Predicates:
        names = tuple((string_given(name), hops) for name, hops in alternatives)
        return tree.Predicates(names, alternatives[0][0].at)

    def predicate(self, name: Piece, hops: tree.Hops | None) -> tuple[Piece, tree.Hops | None]:
        return name, hops

    def upto(self, most: Piece | None) -> tuple[Piece | None]:
        return (most,)

    def hops(self, least_given: Piece, upto: tuple[Piece | None] | None) -> tree.Hops:
        least = integer_given(least_given, 0, "A number of hops")
        last = least_given if upto is None else upto[0]
        most = None if last is None else integer_given(last, 0, "A number of hops")
        if most is not None and most < least:
            raise syntax(f"Hops go from few to many, not from {least} to {most}.", None, least_given.at)
        if max(least, most or 0) > MOST_HOPS:
            raise KipError(
                "KIP_4002",
                f"A path has at most {MOST_HOPS} hops.",
                hint=f"Write {{{min(least, MOST_HOPS)},{MOST_HOPS}}}, and go on from where it ends.",
                at=least_given.at,
            )
        return tree.Hops(least, most)


class ConditionBuilder:
    """The rules of FILTER."""

    def filter(self, word: Piece, condition: tree.Condition) -> tree.Filter:
        return tree.Filter(condition, word.at)

    def any_of(self, *conditions: tree.Condition) -> tree.Or:
        return tree.Or(conditions)

    def all_of(self, *conditions: tree.Condition) -> tree.And:
        return tree.And(conditions)

    def negated(self, condition: tree.Condition) -> tree.Condition:
        # Conditions are true or false and nothing else, so two signs cancel out; a tree nests no deeper than brackets.
        return condition.condition if isinstance(condition, tree.Not) else tree.Not(condition)

    def comparison(self, left: tree.Operand, operator: Piece, right: tree.Operand) -> tree.Comparison:
        return tree.Comparison(operator.value, left, right, operator.at)

    def text_test(self, function: Piece, left: tree.Operand, right: tree.Operand) -> tree.TextTest:
        return tree.TextTest(function.value, left, right, function.at)

    def membership(self, word: Piece, operand: tree.Operand, members: tuple[tree.Json, ...] | Piece) -> tree.Membership:
        values = members if isinstance(members, tuple) else scalars_given(members)
        return tree.Membership(operand, values, word.at)

    def members(self, *constants: tree.Constant) -> tuple[tree.Json, ...]:
        return tuple(constant.value for constant in constants)

    def null_test(self, function: Piece, path: tree.Path) -> tree.NullTest:
        return tree.NullTest(path, function.value == "IS_NULL", function.at)

    def constant(self, piece: Piece) -> tree.Constant:
        return tree.Constant(scalar_given(piece), piece.at)


class QueryBuilder(PatternBuilder, ConditionBuilder):
    """The rules of FIND and of META."""

    def limit(self, given: Piece) -> int:
        return integer_given(given, 1, "LIMIT")

    def cursor(self, given: Piece) -> str:
        return string_given(given)

    def expressions(self, *expressions: tree.Expression) -> tuple[tree.Expression, ...]:
        return expressions

    def aggregate(self, function: Piece, distinct: Piece | None, path: tree.Path) -> tree.Aggregated:
        return tree.Aggregated(function.value, distinct is not None, path, function.at)

    def order_key(self, expression: tree.Expression, direction: Piece | None) -> tree.OrderKey:
        return tree.OrderKey(expression, direction is not None and direction.value == "DESC")

    def order(self, *keys: tree.OrderKey) -> tuple[tree.OrderKey, ...]:
        return keys

    def find(
        self,
        word: Piece,
        expressions: tuple[tree.Expression, ...],
        where: tuple[tree.Clause, ...],
        order: tuple[tree.OrderKey, ...] | None,
        limit: int | None,
        cursor: str | None,
    ) -> tree.Find:
        keys = tuple(_key_of(key, expressions) for key in order or ())
        return tree.Find(expressions, where, keys, limit, cursor, word.at)

    def describe_subject(self, word: Piece, subject: Piece) -> tree.Describe:
        return tree.Describe(subject.value, None, None, None, word.at)

    def describe_types(
        self, word: Piece, kind: Piece, _types: Piece, limit: int | None, cursor: str | None
    ) -> tree.Describe:
        what: Any = f"{kind.value} TYPES"
        return tree.Describe(what, None, limit, cursor, word.at)

    def describe_type(self, word: Piece, kind: Piece, _type: Piece, name: Piece) -> tree.Describe:
        what: Any = f"{kind.value} TYPE"
        return tree.Describe(what, string_given(name), None, None, word.at)

    def search_option(self, *parts: Piece) -> tuple[str, Piece]:
        return (parts[0].terminal if len(parts) > 1 else "LIMIT"), parts[-1]

    def search(self, word: Piece, kind: Piece, term: Piece, *options: tuple[str, Piece]) -> tree.Search:
        said: dict[str, Piece] = {}
        for option, given in options:
            if option in said:
                raise syntax(f"{option} is said twice.", "Say each option of SEARCH once.", given.at)
            said[option] = given
        return tree.Search(
            cast(Any, kind.value),
            string_given(term),
            string_given(said["TYPE"]) if "TYPE" in said else None,
            _mode(said["MODE"]) if "MODE" in said else None,
            _threshold(said["THRESHOLD"]) if "THRESHOLD" in said else None,
            self.limit(said["LIMIT"]) if "LIMIT" in said else None,
            word.at,
        )

    def export(
        self, word: Piece, target: Piece, where: tuple[tree.Clause, ...], limit: int | None, cursor: str | None
    ) -> tree.Export:
        return tree.Export(variable_of(target), where, limit, cursor, word.at)


def named_keys(pairs: tuple[tuple[Piece, Piece], ...]) -> dict[str, str]:
    """Return what the pairs of {…} say of id, type and name; null says nothing. Raises KIP_1001."""
    said: dict[str, str | None] = {}
    for key, value in pairs:
        if key.value not in ("id", "type", "name"):
            raise syntax(
                f"A concept is named by id, type and name, not by `{key.value}`.",
                f"Test it apart: FILTER(?x.attributes.{key.value} == …).",
                key.at,
            )
        if key.value in said:
            raise syntax(f"The key `{key.value}` is there twice.", "Say each key once.", key.at)
        said[key.value] = None if value.value is None else string_given(value)
    return {key: value for key, value in said.items() if value is not None}


def _has_hops(match: tree.LinkId | tree.LinkMatch) -> bool:
    if not isinstance(match, tree.LinkMatch) or not isinstance(match.predicate, tree.Predicates):
        return False
    return any(hops for _, hops in match.predicate.names)


def _key_of(key: tree.OrderKey, expressions: tuple[tree.Expression, ...]) -> tree.OrderKey:
    """Return the key with the aggregate as FIND has it: only what FIND computes can order, DISTINCT or not."""
    wanted = key.expression
    if not isinstance(wanted, tree.Aggregated):
        return key
    alike = [one for one in expressions if isinstance(one, tree.Aggregated) and _sum_of(one) == _sum_of(wanted)]
    if not alike:
        raise syntax(
            f"ORDER BY {wanted.function}(…) orders by what FIND does not compute.",
            "Put the same aggregate into FIND(…).",
            wanted.at,
        )
    same = [one for one in alike if one.is_distinct == wanted.is_distinct]
    return key if same else tree.OrderKey(alike[0], key.is_descending)


def _sum_of(aggregated: tree.Aggregated) -> tuple[str, str, tuple[str, ...]]:
    return aggregated.function, aggregated.path.variable.name, aggregated.path.fields


def _mode(given: Piece) -> str:
    mode = string_given(given)
    if mode not in _MODES:
        raise syntax(f"There is no MODE `{mode}`.", 'Write "keyword", "semantic" or "hybrid".', given.at)
    return mode


def _threshold(given: Piece) -> float:
    threshold = number_given(given)
    if not 0 <= threshold <= 1:
        raise syntax(f"THRESHOLD {threshold} is not between 0 and 1.", None, given.at)
    return threshold
