"""Any WHERE has the solutions that its rules say, worked out clause by clause."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from common.times import now
from memory.kip.graph import Graph, graph_of
from memory.kip.language.errors import KipError
from memory.kip.language.tree import (
    And,
    Block,
    Clause,
    Comparison,
    ConceptClause,
    ConceptMatch,
    Condition,
    Constant,
    Filter,
    Hops,
    LinkClause,
    LinkMatch,
    Membership,
    Not,
    NullTest,
    Or,
    Path,
    Predicates,
    TextTest,
    Variable,
)
from memory.kip.querying.compiling import Compiling
from memory.kip.querying.rows import distinct_rows
from memory.kip.querying.solutions import Relation, compile_where, where_group
from memory.layers.elements import run_sql
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.models import Scope
from tests.kip.naive import Link, Naive, Node
from tests.kip.wired import Wired

TOLD = """
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "A"} } CONCEPT { {type: "$ConceptType", name: "B"} }
  CONCEPT { {type: "$PropositionType", name: "p"} } CONCEPT { {type: "$PropositionType", name: "q"} }
}
UPSERT {
  CONCEPT ?a { {type: "A", name: "a"} SET ATTRIBUTES { n: 1, s: "x" } }
  CONCEPT ?b { {type: "A", name: "b"} SET ATTRIBUTES { n: 2.0, s: "xy", t: true } }
  CONCEPT ?c { {type: "A", name: "c"} SET ATTRIBUTES { n: "1", s: null, l: [1] } }
  CONCEPT ?d { {type: "B", name: "a"} SET ATTRIBUTES { n: 1.0 } }
  CONCEPT ?e { {type: "B", name: "e"} SET ATTRIBUTES { n: {m: 3} } }
  PROPOSITION ?l { (?a, "p", ?b) SET ATTRIBUTES { n: 1 } }
  PROPOSITION ?m { (?b, "p", ?c) }
  PROPOSITION { (?c, "p", ?a) SET ATTRIBUTES { n: 2 } }
  PROPOSITION { (?c, "p", ?d) }
  PROPOSITION { (?a, "q", ?e) SET ATTRIBUTES { s: "x" } }
  PROPOSITION ?h { (?e, "q", ?l) }
  PROPOSITION { (?h, "p", ?m) }
}
"""

AT = 0
EXAMPLES = 120
variables = st.sampled_from("vwxy").map(lambda name: Variable(name, AT))
values = st.sampled_from([None, 1, 2, 1.0, "1", "x", "xy", True, False])
matches = st.builds(
    lambda type, name: ConceptMatch(None, type, name if type or name else "a", AT),
    st.sampled_from(["A", "B", None]),
    st.sampled_from(["a", "b", "c", "e", None, None]),
)
hops = st.sampled_from([None, None, None, Hops(1, 2), Hops(0, 1), Hops(2, 2), Hops(1, None), Hops(0, 0)])
predicates = st.one_of(
    st.builds(lambda name, hops: Predicates(((name, hops),), AT), st.sampled_from("pq"), hops),
    st.just(Predicates((("p", None), ("q", None)), AT)),
    st.sampled_from("fg").map(lambda name: Variable(name, AT)),
)
plain = st.sampled_from("pq").map(lambda name: Predicates(((name, None),), AT))
terms = st.one_of(variables, variables, matches, st.builds(LinkMatch, variables, plain, variables, st.just(AT)))
links = st.builds(LinkMatch, terms, predicates, terms, st.just(AT))


def _clause(variable: Variable | None, match: LinkMatch) -> LinkClause:
    walks = isinstance(match.predicate, Predicates) and any(hops for _, hops in match.predicate.names)
    return LinkClause(None if walks else variable, match)


patterns = st.one_of(
    st.builds(ConceptClause, variables, matches), st.builds(_clause, st.one_of(st.none(), variables), links)
)
paths = st.builds(
    Path,
    st.sampled_from("vwxyfg").map(lambda name: Variable(name, AT)),
    st.sampled_from(
        [
            *((), ("name",), ("type",), ("predicate",), ("nope",)),
            *(("attributes", "n"), ("attributes", "s"), ("attributes", "t"), ("attributes", "l")),
            ("attributes", "n", "m"),
        ]
    ),
)
operands = st.one_of(paths, paths, values.map(lambda value: Constant(value, AT)))
tests = st.one_of(
    st.builds(Comparison, st.sampled_from(["==", "!=", "<", ">", "<=", ">="]), operands, operands, st.just(AT)),
    st.builds(NullTest, paths, st.booleans(), st.just(AT)),
    st.builds(Membership, operands, st.lists(values, max_size=3).map(tuple), st.just(AT)),
    st.builds(
        TextTest,
        st.sampled_from(["CONTAINS", "STARTS_WITH", "ENDS_WITH", "REGEX"]),
        operands,
        st.sampled_from(["x", "y", "a", ""]).map(lambda value: Constant(value, AT)),
        st.just(AT),
    ),
)
conditions: st.SearchStrategy[Condition] = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=2).map(tuple)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=2).map(tuple)),
    ),
    max_leaves=3,
)
filters = st.builds(Filter, conditions, st.just(AT))


def _blocks(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    kinds = st.sampled_from(["NOT", "OPTIONAL", "UNION"])
    return st.builds(Block, kinds, st.lists(inner, min_size=1, max_size=3).map(tuple), st.just(AT))


clauses = st.recursive(st.one_of(patterns, patterns, patterns, filters), _blocks, max_leaves=4)
wheres = st.builds(lambda first, rest: (first, *rest), patterns, st.lists(clauses, max_size=3))


@pytest.fixture
def graph(kip: Wired, space: Any) -> Graph:
    """The graph that everything is asked of."""
    kip.result(TOLD)
    with entered(space):
        scope = run_sql("select scope from node limit 1", {})[0][0]
        # Alone in a scope, so that all that is there can be weighed against all by hand.
        run_sql("update node set scope = 999 where type = any(%(n)s) or name = any(%(n)s)", {"n": ["A", "B", "p", "q"]})
        run_sql("update link set scope = 999 where predicate in ('p', 'q')", {})
        binding = Binding(space, SYSTEM_CALLER, (Scope.objects.get(pk=scope),))
        return replace(graph_of(binding, now()), scope=999)


def test_solutions_are_those_of_the_rules(graph: Graph) -> None:
    with entered(graph.binding.space):
        naive = _naive(graph)

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
        @given(wheres)
        def compared(where: tuple[Clause, ...]) -> None:
            _compare(graph, naive, where)

        compared()


def _compare(graph: Graph, naive: Naive, where: Sequence[Clause]) -> None:
    relation = _compiled(graph, where)
    if relation is None:
        return
    rows = run_sql(f"select distinct * from ({relation.sql}) z", relation.values)
    names = list(relation.kinds)
    found = {tuple(row[place] for place in range(len(names))) for row in rows}
    told = {tuple(row.get(name) for name in names) for row in naive.solutions(where)}
    assert found == told
    for some in filter(None, (names, names[:1], names[-1:])):
        assert _rows(graph, where, some) == len({tuple(row[names.index(name)] for name in some) for row in rows})


def _rows(graph: Graph, where: Sequence[Clause], names: Sequence[str]) -> int:
    """How many rows there are for these variables, where each is to be there once."""
    group = where_group(Compiling(graph), where)
    rows = distinct_rows(group, names, "r")
    found = run_sql(group.compiling.beginning + rows.select("count(*)"), group.compiling.values)
    return int(found[0][0])


def _compiled(graph: Graph, where: Sequence[Clause]) -> Relation | None:
    """None for a filter on what nothing binds, and for a predicate that is an element elsewhere."""
    try:
        return compile_where(graph, where)
    except KipError as error:
        if error.code in ("KIP_3001", "KIP_1001"):
            return None
        raise


def _naive(graph: Graph) -> Naive:
    """What the tests told, and nothing of what stands there from the start."""
    nodes = run_sql("select id, type, name, attributes::text from node where scope = %(s)s", {"s": graph.scope})
    links = run_sql(
        "select id, subject, predicate, object, attributes::text from link where scope = %(s)s", {"s": graph.scope}
    )
    return Naive(
        {number: Node(type, name, json.loads(text)) for number, type, name, text in nodes},
        {number: Link(subject, name, object, json.loads(text)) for number, subject, name, object, text in links},
    )
