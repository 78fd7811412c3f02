"""Whole trees, as hypothesis draws them: only such as the parser makes, with every place 0."""

import dataclasses
from typing import Any

from hypothesis import strategies as st

from memory.kip.language import tree
from memory.kip.language.values import GREATEST_INTEGER, LEAST_INTEGER

_IDENTIFIERS = st.from_regex("[A-Za-z_][A-Za-z0-9_]{0,4}", fullmatch=True) | st.sampled_from(
    ["true", "null", "id", "type", "name", "LIMIT", "SET", "NOT", "ADD", "FIND"]
)
_STRINGS = st.text(max_size=6) | st.sampled_from(['"', "\\", "a\nb", ":x", "// no", "{", "?x", "\u2028", "\x00", "é"])
_NUMBERS = st.integers(LEAST_INTEGER, GREATEST_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)
_SCALARS = st.none() | st.booleans() | _NUMBERS | _STRINGS
_KEYS = _IDENTIFIERS | _STRINGS
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=5,
)
_OBJECTS = st.dictionaries(_KEYS, _VALUES, max_size=3)
_SOME_METADATA = st.none() | _OBJECTS
_AT = st.just(0)
_LIMITS = st.none() | st.integers(1, GREATEST_INTEGER)
_CURSORS = st.none() | _STRINGS

variables = st.builds(tree.Variable, _IDENTIFIERS, _AT)
paths = st.builds(tree.Path, variables, st.lists(_IDENTIFIERS, max_size=3).map(tuple))
aggregates = st.builds(
    tree.Aggregated, st.sampled_from(["COUNT", "SUM", "AVG", "MIN", "MAX"]), st.booleans(), paths, _AT
)
concept_matches = (
    st.builds(tree.ConceptMatch, _STRINGS, st.none(), st.none(), _AT)
    | st.builds(tree.ConceptMatch, st.none(), _STRINGS, st.none() | _STRINGS, _AT)
    | st.builds(tree.ConceptMatch, st.none(), st.none(), _STRINGS, _AT)
)
link_ids = st.builds(tree.LinkId, _STRINGS, _AT)


@st.composite
def hops(draw: st.DrawFn) -> tree.Hops:
    least = draw(st.integers(0, 10))
    return tree.Hops(least, draw(st.none() | st.integers(least, 10)))


def predicates(hop: st.SearchStrategy[tree.Hops | None]) -> st.SearchStrategy[tree.Predicates]:
    names = st.lists(st.tuples(_STRINGS, hop), min_size=1, max_size=3).map(tuple)
    return st.builds(tree.Predicates, names, _AT)


def link_matches(
    hop: st.SearchStrategy[tree.Hops | None], ends: st.SearchStrategy[Any]
) -> st.SearchStrategy[tree.LinkMatch]:
    return st.builds(tree.LinkMatch, ends, variables | predicates(hop), ends, _AT)


_any_hops = st.none() | hops()
_ends = variables | concept_matches | link_ids
terms = st.recursive(_ends, lambda inner: link_matches(_any_hops, inner), max_leaves=3)

constants = st.builds(tree.Constant, _SCALARS, _AT)
operands = paths | constants
_conditions_alone = (
    st.builds(tree.Comparison, st.sampled_from(["==", "!=", "<", ">", "<=", ">="]), operands, operands, _AT)
    | st.builds(
        tree.TextTest, st.sampled_from(["CONTAINS", "STARTS_WITH", "ENDS_WITH", "REGEX"]), operands, operands, _AT
    )
    | st.builds(tree.Membership, operands, st.lists(_SCALARS, max_size=3).map(tuple), _AT)
    | st.builds(tree.NullTest, paths, st.booleans(), _AT)
)


def _compound(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    negated = inner.filter(lambda condition: not isinstance(condition, tree.Not))
    return st.builds(tree.And, several) | st.builds(tree.Or, several) | st.builds(tree.Not, negated)


conditions = st.recursive(_conditions_alone, _compound, max_leaves=5)
_plain_clauses = (
    st.builds(tree.ConceptClause, variables, concept_matches)
    | st.builds(tree.LinkClause, st.none(), link_ids | link_matches(_any_hops, terms))
    | st.builds(tree.LinkClause, variables, link_ids | link_matches(st.none(), terms))
    | st.builds(tree.Filter, conditions, _AT)
)
clauses = st.recursive(
    _plain_clauses,
    lambda inner: st.builds(
        tree.Block,
        st.sampled_from(["NOT", "OPTIONAL", "UNION"]),
        st.lists(inner, min_size=1, max_size=2).map(tuple),
        _AT,
    ),
    max_leaves=3,
)
wheres = st.lists(clauses, min_size=1, max_size=3).map(tuple)


@st.composite
def finds(draw: st.DrawFn) -> tree.Find:
    expressions = tuple(draw(st.lists(paths | aggregates, min_size=1, max_size=3)))
    computed = [one for one in expressions if isinstance(one, tree.Aggregated)]
    orderable = paths | st.sampled_from(computed) if computed else paths
    order = tuple(draw(st.lists(st.builds(tree.OrderKey, orderable, st.booleans()), max_size=2)))
    return tree.Find(expressions, draw(wheres), order, draw(_LIMITS), draw(_CURSORS), 0)


concept_keys = st.builds(tree.ConceptKey, _STRINGS, st.none(), st.none(), _AT) | st.builds(
    tree.ConceptKey, st.none(), _STRINGS, _STRINGS, _AT
)
targets = st.recursive(
    variables | concept_keys | link_ids,
    lambda inner: st.builds(tree.LinkKey, inner, _STRINGS, inner, _AT),
    max_leaves=3,
)
_set_links = st.builds(tree.SetLink, _STRINGS, targets, _SOME_METADATA, _AT)
_versions = st.none() | st.integers(0, GREATEST_INTEGER)
_handles = st.none() | variables
blocks = st.builds(
    tree.ConceptBlock,
    _handles,
    concept_keys,
    _versions,
    _SOME_METADATA,
    st.none() | st.lists(_set_links, max_size=2).map(tuple),
    _SOME_METADATA,
    _AT,
) | st.builds(
    tree.LinkBlock,
    _handles,
    link_ids | st.builds(tree.LinkKey, targets, _STRINGS, targets, _AT),
    _versions,
    _SOME_METADATA,
    _SOME_METADATA,
    _AT,
)
upserts = st.builds(tree.Upsert, st.lists(blocks, min_size=1, max_size=3).map(tuple), _SOME_METADATA, _AT)


def _arithmetics(target: tree.Variable) -> st.SearchStrategy[Any]:
    amounts = _NUMBERS | st.builds(tree.Path, st.just(target), st.lists(_IDENTIFIERS, max_size=3).map(tuple))

    def compound(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        two = st.builds(tree.Arithmetics, st.sampled_from(["ADD", "MUL", "COALESCE"]), st.tuples(inner, inner), _AT)
        return two | st.builds(tree.Arithmetics, st.just("CLAMP"), st.tuples(inner, inner, inner), _AT)

    return compound(st.recursive(amounts, compound, max_leaves=3))


@st.composite
def updates(draw: st.DrawFn) -> tree.Update:
    target = draw(variables)
    settings = st.dictionaries(_KEYS, _VALUES | _arithmetics(target), min_size=1, max_size=3)
    attributes, metadata = draw(st.tuples(settings, st.none() | settings) | st.tuples(st.none(), settings))
    return tree.Update(target, attributes, metadata, draw(wheres), draw(_LIMITS), 0)


others = (
    st.builds(tree.Merge, variables, variables, wheres, _AT)
    | st.builds(
        tree.DeleteKeys,
        st.sampled_from(["attributes", "metadata"]),
        st.lists(_STRINGS, min_size=1, max_size=3).map(tuple),
        variables,
        wheres,
        _AT,
    )
    | st.builds(tree.DeleteLinks, variables, wheres, _AT)
    | st.builds(tree.DeleteConcepts, variables, wheres, _AT)
    | st.builds(tree.Export, variables, wheres, _LIMITS, _CURSORS, _AT)
    | st.builds(tree.Describe, st.sampled_from(["PRIMER", "DOMAINS"]), st.none(), st.none(), st.none(), _AT)
    | st.builds(
        tree.Describe, st.sampled_from(["CONCEPT TYPES", "PROPOSITION TYPES"]), st.none(), _LIMITS, _CURSORS, _AT
    )
    | st.builds(
        tree.Describe, st.sampled_from(["CONCEPT TYPE", "PROPOSITION TYPE"]), _STRINGS, st.none(), st.none(), _AT
    )
    | st.builds(
        tree.Search,
        st.sampled_from(["CONCEPT", "PROPOSITION"]),
        _STRINGS,
        st.none() | _STRINGS,
        st.none() | st.sampled_from(["keyword", "semantic", "hybrid"]),
        st.none() | st.floats(0, 1) | st.integers(0, 1),
        _LIMITS,
        _AT,
    )
)
texts = st.builds(
    tree.Text,
    st.one_of(finds(), updates(), others).map(lambda one: (one,))
    | st.lists(upserts, min_size=1, max_size=2).map(tuple),
)


def placeless(value: Any) -> Any:
    """The same tree with every place 0: two texts of the same tree differ in nothing else."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {part.name: placeless(getattr(value, part.name)) for part in dataclasses.fields(value)}
        return type(value)(**{**parts, "at": 0} if "at" in parts else parts)
    if isinstance(value, tuple):
        return tuple(map(placeless, value))
    return {key: placeless(one) for key, one in value.items()} if isinstance(value, dict) else value
