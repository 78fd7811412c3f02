"""FIND: columns, aggregates, order, pages, and what is refused."""

from typing import Any

import pytest

from tests.kip.wired import Wired

TOLD = """
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Drug"} SET ATTRIBUTES { description: "A drug." } }
  CONCEPT { {type: "$ConceptType", name: "Symptom"} }
  CONCEPT { {type: "$PropositionType", name: "treats"} SET ATTRIBUTES { description: "Relief of a symptom" } }
  CONCEPT { {type: "$PropositionType", name: "about"} }
  CONCEPT ?a { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { risk: 2, aliases: ["ASS"], deep: {a: {b: 5}} } }
  CONCEPT ?b { {type: "Drug", name: "Brufen"} SET ATTRIBUTES { risk: 3.5, "od-d": 1 } }
  CONCEPT ?c { {type: "Drug", name: "Codein"} SET ATTRIBUTES { risk: "high" } }
  CONCEPT ?d { {type: "Drug", name: "Dolo"} SET ATTRIBUTES { risk: null } }
  CONCEPT ?h { {type: "Symptom", name: "Headache"} SET ATTRIBUTES { risk: true } }
  CONCEPT ?f { {type: "Symptom", name: "发烧"} SET ATTRIBUTES { description: "高烧不退" } }
  PROPOSITION ?l { (?a, "treats", ?h) SET ATTRIBUTES { note: "strong relief" } } WITH METADATA { confidence: 0.4 }
  PROPOSITION { (?a, "treats", ?f) }
  PROPOSITION { (?b, "treats", ?h) }
  PROPOSITION { (?c, "about", ?l) }
}
"""


@pytest.fixture
def drugs(kip: Wired) -> Wired:
    """A seat that was told of drugs."""
    kip.result(TOLD)
    return kip


def paged(kip: Wired, command: str, limit: int) -> list[Any]:
    """All pages of a command, one after the other."""
    answer = kip.run(f"{command} LIMIT {limit}")
    found = list(answer["result"])
    while "next_cursor" in answer:
        answer = kip.run(f"{command} LIMIT {limit} CURSOR :cursor", cursor=answer["next_cursor"])
        found += answer["result"]
    return found


def test_no_match_keeps_the_number_of_columns(drugs: Wired) -> None:
    where = 'WHERE { ?d {type: "Drug", name: "None"} }'
    assert drugs.result(f"FIND(?d.name) {where}") == []
    assert drugs.result(f"FIND(?d.name, ?d.attributes.risk) {where}") == [[], []]
    assert drugs.result(f"FIND(?d.type, COUNT(?d)) {where}") == [[], []]


def test_values_of_every_type_have_an_order_and_what_is_absent_is_last(drugs: Wired) -> None:
    find = 'FIND(?x.name) WHERE { ?x {type: "Drug"} UNION { ?x {type: "Symptom", name: "Headache"} } } '
    up = drugs.result(find + "ORDER BY ?x.attributes.risk")
    assert up == ["Aspirin", "Brufen", "Codein", "Headache", "Dolo"]
    assert drugs.result(find + "ORDER BY ?x.attributes.risk DESC") == [*up[3::-1], "Dolo"]


def test_pages_follow_one_another_in_whatever_order(drugs: Wired) -> None:
    for order in ("", "ORDER BY ?d.attributes.risk", "ORDER BY ?d.attributes.risk DESC", "ORDER BY ?d.name DESC"):
        find = f'FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} }} {order}'
        for limit in (1, 2, 3):
            assert paged(drugs, find, limit) == drugs.result(find)
    optional = 'FIND(?s.name) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } }'
    assert paged(drugs, optional, 1) == drugs.result(optional)
    find = "FIND(?d.name) WHERE { (?d, ?p, ?o) } ORDER BY ?o.name DESC"
    assert paged(drugs, find, 7) == drugs.result(find)


def test_pages_of_groups_follow_one_another(drugs: Wired) -> None:
    find = 'FIND(?s.name, COUNT(?d)) WHERE { ?s {type: "Symptom"} OPTIONAL { (?d, "treats", ?s) } } ORDER BY COUNT(?d)'
    first = drugs.run(f"{find} LIMIT 1")
    second = drugs.run(f"{find} LIMIT 1 CURSOR :c", c=first["next_cursor"])
    assert (first["result"], second["result"]) == ([["发烧"], [1]], [["Headache"], [2]])
    assert "next_cursor" not in second


def test_a_cursor_is_of_one_command(drugs: Wired) -> None:
    find = 'FIND(?d.name) WHERE { ?d {type: "Drug"} } LIMIT 1'
    cursor = drugs.run(find)["next_cursor"]
    assert drugs.result(f"{find[:-1]}2 CURSOR :c", c=cursor) == ["Brufen", "Codein"]
    for other, given in (
        ('FIND(?d.type) WHERE { ?d {type: "Drug"} } LIMIT 1 CURSOR :c', cursor),
        ('FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.name LIMIT 1 CURSOR :c', cursor),
        (f"{find} CURSOR :c", cursor[:-2]),
        (f"{find} CURSOR :c", "bogus"),
        (f"{find} CURSOR :c", ""),
        (f"{find} CURSOR :c", "é"),
    ):
        assert drugs.error(other, c=given) == "KIP_1001"


def test_aggregates_ignore_what_is_absent(drugs: Wired) -> None:
    risk = "?d.attributes.risk"
    find = f"FIND(COUNT(?d), COUNT({risk}), SUM({risk}), AVG({risk}), MIN({risk}), MAX({risk}))"
    assert drugs.result(find + ' WHERE { ?d {type: "Drug"} }') == [4, 3, 5.5, 2.75, 2, "high"]
    assert drugs.result(find + ' WHERE { ?d {type: "Drug", name: "x"} }') == [0, 0, 0, None, None, None]
    assert drugs.result('FIND(COUNT(DISTINCT ?d.type)) WHERE { ?d {type: "Drug"} }') == 1


def test_an_optional_miss_counts_as_none(drugs: Wired) -> None:
    find = 'FIND(?d.name, COUNT(?s)) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) } } ORDER BY ?d.name'
    assert drugs.result(find) == [["Aspirin", "Brufen", "Codein", "Dolo"], [2, 1, 0, 0]]


def test_solutions_are_once_over_what_is_projected(drugs: Wired) -> None:
    assert drugs.result('FIND(?d.name) WHERE { (?d, "treats", ?s) }') == ["Aspirin", "Brufen"]
    assert drugs.result('FIND(COUNT(?d)) WHERE { (?d, "treats", ?s) }') == 2
    assert drugs.result('FIND(?d.type) WHERE { ?d {type: "Drug"} }') == ["Drug"] * 4


def test_groups_are_ordered_by_what_is_listed(drugs: Wired) -> None:
    where = 'WHERE { ?s {type: "Symptom"} (?d, "treats", ?s) }'
    assert drugs.error(f"FIND(?s.name) {where} ORDER BY COUNT(?d)") == "KIP_1001"
    assert drugs.result(f"FIND(?s, COUNT(?d)) {where} ORDER BY ?s.name LIMIT 5")[1] == [2, 1]
    by_risk = f"FIND(?s.name, COUNT(?d)) {where} ORDER BY ?s.attributes.risk"
    assert drugs.result(by_risk)[0] == ["Headache", "发烧"]
    assert drugs.result(f"{by_risk} DESC LIMIT 1")[0] == ["Headache"]
    assert drugs.error(f"FIND(?s.name, COUNT(?d)) {where} ORDER BY ?x.name") in ("KIP_1001", "KIP_3001")


@pytest.mark.parametrize(
    "command",
    [
        'FIND(?x) WHERE { ?d {type: "Drug"} }',
        'FIND(COUNT(?x)) WHERE { ?d {type: "Drug"} }',
        'FIND(?d) WHERE { ?d {type: "Drug"} FILTER(?x.name == "a") }',
        'FIND(?d) WHERE { ?d {type: "Drug"} } ORDER BY ?x.name',
        'FIND(?s) WHERE { ?d {type: "Drug"} NOT { (?d, "treats", ?s) } }',
        'FIND(?d) WHERE { ?d {type: "Drug"} UNION { ?s {type: "Symptom"} FILTER(?d.name == "a") } }',
        'EXPORT ?x WHERE { ?d {type: "Drug"} }',
        'UPDATE ?x SET ATTRIBUTES { a: 1 } WHERE { ?d {type: "Drug"} }',
    ],
)
def test_a_variable_that_nothing_binds_is_named(drugs: Wired, command: str) -> None:
    assert drugs.error(command) == "KIP_3001"


def test_names_that_are_not_registered_are_met_with_the_nearest(drugs: Wired) -> None:
    for command, meant in (
        ('FIND(?d) WHERE { ?d {type: "drug"} }', "Drug"),
        ('FIND(?d) WHERE { (?d, "treat", ?s) }', "treats"),
        ('FIND(?d) WHERE { (?d, "treets"{1,2}, ?s) }', "treats"),
    ):
        error = drugs.run(command)["error"]
        assert error["code"] == "KIP_2001"
        assert meant in error["hint"]


@pytest.mark.parametrize("pattern", ["[", "(", "*a", "a{2,1}", "(?P<x>a)(?P<x>b)", "a" * 1_001])
def test_a_bad_regular_expression_is_refused_when_it_runs(drugs: Wired, pattern: str) -> None:
    find = 'FIND(?d) WHERE { ?d {type: "Drug"} FILTER(REGEX(?d.name, :p)) }'
    assert drugs.error(find, p=pattern) in ("KIP_1001", "KIP_4002")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("^A", ["Aspirin"]),
        ("n$", ["Aspirin", "Brufen", "Codein"]),
        ("(?i)^a.*N$", ["Aspirin"]),
        (r"\bDolo\b", ["Dolo"]),
        (r"^[A-B]\w+$", ["Aspirin", "Brufen"]),
        ("(?P<first>.)o", ["Codein", "Dolo"]),
        ("[]o]", ["Codein", "Dolo"]),
        ("a.*?n", []),
        ("***=A", None),
    ],
)
def test_regular_expressions_search_anywhere(drugs: Wired, pattern: str, names: list[str] | None) -> None:
    find = 'FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(REGEX(?d.name, :p)) }'
    if names is None:
        assert drugs.error(find, p=pattern) == "KIP_1001"
    else:
        assert drugs.result(find, p=pattern) == names


def test_text_that_looks_like_sql_is_only_text(drugs: Wired) -> None:
    for text in ("'; drop table node; --", '"; --', "%(g_scope)s", "%s", "\\", "{0}", "$1"):
        assert drugs.result('FIND(?d) WHERE { ?d {type: "Drug", name: :n} }', n=text) == []
        assert drugs.result('FIND(?d) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.x == :n) }', n=text) == []
        assert drugs.result('FIND(?d) WHERE { ?d {type: "Drug"} FILTER(CONTAINS(?d.name, :n)) }', n=text) == []
        assert isinstance(drugs.result("SEARCH CONCEPT :n", n=text or "x"), list)
    assert drugs.result('FIND(COUNT(?d)) WHERE { ?d {type: "Drug"} }') == 4


def test_ids_are_pasted_back(drugs: Wired) -> None:
    (node,) = drugs.result('FIND(?d.id) WHERE { ?d {type: "Drug", name: "Aspirin"} }')
    assert drugs.result("FIND(?d.name) WHERE { ?d {id: :n} }", n=node) == ["Aspirin"]
    link = drugs.result('FIND(?l) WHERE { ?l (?d, "treats", ?s) FILTER(?l.metadata.confidence < 0.5) }')[0]
    assert link["subject"] == node
    assert drugs.result("FIND(?l.attributes.note) WHERE { ?l (id: :l) }", l=link["id"]) == ["strong relief"]
    assert drugs.result('FIND(?c.name) WHERE { (?c, "about", (id: :l)) }', l=link["id"]) == ["Codein"]
    assert drugs.result("FIND(?d.name) WHERE { ?d {id: :n} }", n=link["id"]) == []


def test_what_the_engine_alone_writes_is_read(drugs: Wired) -> None:
    found = drugs.result(
        "FIND(?d.metadata._version, ?d.metadata._strength, ?d.metadata._updated_at, ?d.metadata._score, ?d.what)"
        ' WHERE { ?d {type: "Drug", name: "Aspirin"} FILTER(?d.metadata._version == 1) }'
    )
    assert [column[0] for column in found[:2]] == [1, 1]
    whole = drugs.result('FIND(?d.metadata) WHERE { ?d {type: "Drug", name: "Aspirin"} }')[0]
    assert found[2] == [whole["_updated_at"]]
    assert found[3:] == [[None], [None]]


def test_walks_have_their_limits(drugs: Wired) -> None:
    assert drugs.error('FIND(?a) WHERE { (?a, "treats"{1,11}, ?b) }') in ("KIP_4002", "KIP_1001")
    assert drugs.error('FIND(?a) WHERE { ?l (?a, "treats"{1,2}, ?b) }') == "KIP_1001"
    assert drugs.result('FIND(?a.name) WHERE { (?a, "treats"{1,2}, {type: "Symptom", name: "发烧"}) }') == ["Aspirin"]


def test_search_finds_names_aliases_and_chinese(drugs: Wired) -> None:
    for term, name in (("aspirin", "Aspirin"), ("ASS", "Aspirin"), ("高烧", "发烧")):
        found = drugs.result("SEARCH CONCEPT :t", t=term)
        assert found[0]["name"] == name
        scores = [one["metadata"]["_score"] for one in found]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
    assert drugs.result('SEARCH CONCEPT "aspirin" WITH TYPE "Nothing"') == []
    assert drugs.result('SEARCH CONCEPT "aspirin" WITH TYPE "Symptom" MODE "keyword"') == []
    notes = [one["attributes"].get("note") for one in drugs.result('SEARCH PROPOSITION "strong"')]
    assert notes == ["strong relief"]
    assert len(drugs.result('SEARCH PROPOSITION "relief" WITH TYPE "treats"')) == 3
    assert drugs.result('SEARCH PROPOSITION "relief" THRESHOLD 1.0') == []


def test_an_exported_capsule_imports_alone_into_another_graph(drugs: Wired) -> None:
    export = (
        'EXPORT ?x WHERE { ?x {type: "Drug"} UNION { ?x {type: "Symptom"} } UNION { ?x (?a, "treats", ?b) }'
        ' UNION { ?x (?c, "about", ?l) } }'
    )
    first = drugs.run(f"{export} LIMIT 7")
    second = drugs.run(f"{export} LIMIT 7 CURSOR :c", c=first["next_cursor"])
    counts = [(one["result"]["concepts"], one["result"]["propositions"]) for one in (first, second)]
    assert counts == [(6, 1), (0, 3)]
    whole = 'FIND(?x.name, ?x.attributes, ?x.metadata._version) WHERE { ?x {type: "Drug"} } ORDER BY ?x.name'
    links = 'FIND(?l.predicate, ?l.attributes) WHERE { ?l ({type: "Drug"}, ?p, ?o) } ORDER BY ?o.name, ?p'
    before = drugs.result(whole), drugs.result(links)
    for page in (first, second):
        again = drugs.result(page["result"]["capsule"])
        assert again["blocks"] == 1
    assert (drugs.result(whole), drugs.result(links)) == before
    for type in ("Drug", "Symptom"):
        drugs.result(f'DELETE CONCEPT ?d DETACH WHERE {{ ?d {{type: "{type}"}} }}')
    assert drugs.result(links) == [[], []]
    for page in (first, second):
        drugs.result(page["result"]["capsule"])
    assert (drugs.result(whole), drugs.result(links)) == before
