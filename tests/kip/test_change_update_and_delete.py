"""UPDATE and DELETE: what is matched, what changes, what goes with what."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.kip.told_kip import Told, told

STOPS = """UPSERT {
  CONCEPT ?red { {type: "Line", name: "Red"} }
  CONCEPT ?quay { {type: "Station", name: "Quay"} SET ATTRIBUTES { zone: 1, note: "n", share: 0.5 }
    SET PROPOSITIONS { ("served_by", ?red) } }
  CONCEPT ?mill { {type: "Station", name: "Mill"} SET ATTRIBUTES { zone: 2 } }
  CONCEPT ?fen { {type: "Station", name: "Fen"} SET ATTRIBUTES { zone: 3 } }
  CONCEPT ?hill { {type: "Station", name: "Hill"} }
  CONCEPT ?ines { {type: "Person", name: "Ines"} }
  PROPOSITION ?a { (?quay, "next_stop", ?mill) SET ATTRIBUTES { minutes: 3 } } WITH METADATA { memory_strength: 0.9 }
  PROPOSITION ?b { (?mill, "next_stop", ?fen) SET ATTRIBUTES { minutes: 4 } }
  PROPOSITION { (?fen, "next_stop", ?hill) SET ATTRIBUTES { minutes: 6 } }
  PROPOSITION ?claim { (?ines, "reported", ?a) }
  PROPOSITION { (?ines, "reported", ?claim) }
}"""


@pytest.fixture
def graph(new_space: Callable[..., Any]) -> Told:
    graph = told(new_space)
    graph.tell(STOPS)
    return graph


def test_expressions_are_worked_out_from_what_was_and_whole_numbers_stay_whole(graph):
    result = graph.tell("""UPDATE ?l
      SET ATTRIBUTES { minutes: ADD(MUL(?l.attributes.minutes, 2), 1), half: MUL(?l.attributes.minutes, 0.5) }
      SET METADATA { memory_strength: CLAMP(COALESCE(?l.metadata.memory_strength, 0.7), 0.0, 0.8) }
      WHERE { ?l (?a, "next_stop", ?b) FILTER(?l.attributes.minutes < 5) } LIMIT 50""")
    assert result == {"updated": 2, "matched": 2}
    first = graph.link("Quay", "next_stop", "Mill")
    assert first["attributes"] == {"minutes": 7, "half": 1.5}
    assert isinstance(first["attributes"]["minutes"], int)
    assert first["metadata"]["memory_strength"] == 0.8
    assert graph.link("Mill", "next_stop", "Fen")["metadata"]["memory_strength"] == 0.7
    assert first["metadata"]["_version"] == 2


def test_a_key_is_skipped_where_an_operand_is_no_number_and_nothing_that_stays_is_counted(graph):
    result = graph.tell("""UPDATE ?s
      SET ATTRIBUTES { zone: ADD(?s.attributes.zone, 0), more: ADD(?s.attributes.note, 1),
        seen: COALESCE(?s.attributes.share, 9) } WHERE { ?s {type: "Station"} }""")
    assert result == {"updated": 4, "matched": 4}
    assert graph.node("Station", "Quay")["attributes"] == {"zone": 1, "note": "n", "share": 0.5, "seen": 0.5}
    assert graph.node("Station", "Hill")["attributes"] == {"seen": 9}
    again = graph.tell('UPDATE ?s SET ATTRIBUTES { zone: ADD(?s.attributes.zone, 0) } WHERE { ?s {type: "Station"} }')
    assert again == {"updated": 0, "matched": 4}
    assert graph.node("Station", "Quay")["metadata"]["_version"] == 2


def test_update_never_makes_and_stops_at_its_limit(graph):
    text = 'UPDATE ?s SET ATTRIBUTES { seen: true } WHERE { ?s {type: "Station"} ?l (?s, "next_stop", ?o) } LIMIT 2'
    assert graph.tell(text) == {"updated": 2, "matched": 2}
    none = 'UPDATE ?s SET ATTRIBUTES { seen: true } WHERE { ?s {type: "Station", name: "Nowhere"} }'
    assert graph.tell(none) == {"updated": 0, "matched": 0}
    unbound = 'UPDATE ?x SET ATTRIBUTES { a: 1 } WHERE { ?s {type: "Station"} }'
    assert graph.refused(unbound).code == "KIP_3001"
    reserved = 'UPDATE ?s SET METADATA { _version: 7 } WHERE { ?s {type: "Station", name: "Nowhere"} }'
    assert graph.refused(reserved).code == "KIP_2002"
    name = 'UPDATE ?s SET ATTRIBUTES { a: ADD(CLAMP(?s.name, 0, 1), 1) } WHERE { ?s {type: "Station"} }'
    assert graph.refused(name).code == "KIP_1001"
    phi = 'UPDATE ?s SET ATTRIBUTES { classification: "PHI" } WHERE { ?s {type: "Station"} }'
    assert graph.refused(phi).code == "KIP_2002"


def test_keys_are_deleted_where_they_are(graph):
    text = 'DELETE ATTRIBUTES {"note", "share", "none"} FROM ?s WHERE { ?s {type: "Station"} }'
    assert graph.tell(text) == {"updated_concepts": 1, "updated_propositions": 0}
    assert graph.node("Station", "Quay")["attributes"] == {"zone": 1}
    text = 'DELETE METADATA {"memory_strength"} FROM ?l WHERE { ?l (?a, "next_stop", ?b) }'
    assert graph.tell(text) == {"updated_concepts": 0, "updated_propositions": 1}
    assert "memory_strength" not in graph.link("Quay", "next_stop", "Mill")["metadata"]
    assert graph.refused('DELETE METADATA {"_version"} FROM ?s WHERE { ?s {type: "Line"} }').code == "KIP_2002"


def test_a_link_goes_with_everything_that_is_said_about_it(graph):
    text = """DELETE PROPOSITIONS ?l WHERE {
      ?l ({type: "Station", name: "Quay"}, "next_stop", {type: "Station", name: "Mill"}) }"""
    assert graph.tell(text) == {"deleted_propositions": 3}
    assert graph.tell(text) == {"deleted_propositions": 0}
    assert graph.rows("select count(*) from link where predicate = 'reported'") == [(0,)]


def test_a_concept_goes_with_its_links_and_those_about_them(graph):
    quay = graph.node("Station", "Quay")["id"]
    text = 'DELETE CONCEPT ?s DETACH WHERE { ?s {type: "Station", name: "Quay"} }'
    assert graph.tell(text) == {"deleted_concepts": 1, "deleted_propositions": 4}
    assert graph.tell(text) == {"deleted_concepts": 0, "deleted_propositions": 0}
    assert graph.element(quay) is None
    kept = graph.rows(
        "select act, attributes->>'zone' from element_history where 'C:' || element = %(id)s order by id", id=quay
    )
    assert kept == [("create", "1"), ("delete", "1")]
    assert graph.rows("select count(*) from node_index where 'C:' || node = %(id)s", id=quay) == [(0,)]
    graph.tell('UPSERT { CONCEPT { {type: "Station", name: "Quay"} EXPECT VERSION 0 } }')


def test_what_protects_the_graph_cannot_be_written(graph):
    for text in PROTECTED:
        assert graph.refused(text).code == "KIP_3004", text
    graph.tell("""UPSERT { CONCEPT { {type: "Person", name: "$self"} SET ATTRIBUTES { persona: "plain" } }
      CONCEPT ?s { {type: "Station", name: "Quay"}
        SET PROPOSITIONS { ("belongs_to_domain", {type: "Domain", name: "CoreSchema"}) } }
      CONCEPT { {type: "Domain", name: "Unsorted"} SET ATTRIBUTES { scope_note: "x" } }
      CONCEPT { {type: "Domain", name: "CoreSchema"} } }""")
    described = graph.node("Domain", "CoreSchema")["attributes"]["description"]
    graph.tell(
        'UPSERT { CONCEPT { {type: "Domain", name: "CoreSchema"} SET ATTRIBUTES { description: :d } } }', d=described
    )


PROTECTED = [
    'UPSERT { CONCEPT { {type: "$ConceptType", name: "Domain"} SET ATTRIBUTES { description: "x" } } }',
    'UPSERT { CONCEPT { {type: "$ConceptType", name: "$ConceptType"} } WITH METADATA { source: "x" } }',
    'UPSERT { CONCEPT { {type: "$PropositionType", name: "belongs_to_domain"} SET ATTRIBUTES { x: ["*"] } } }',
    (
        'UPSERT { CONCEPT { {type: "Station", name: "New"} } CONCEPT ?d { {type: "Domain", name: "CoreSchema"} } }'
        ' WITH METADATA { source: "x" }'
    ),
    (
        'UPSERT { CONCEPT { {type: "Domain", name: "CoreSchema"}'
        ' SET PROPOSITIONS { ("belongs_to_domain", {type: "Domain", name: "Unsorted"}) } } }'
    ),
    'UPSERT { CONCEPT { {type: "Person", name: "$self"} SET ATTRIBUTES { core_directives: [] } } }',
    'UPDATE ?d SET METADATA { seen: 1 } WHERE { ?d {type: "Domain"} }',
    'UPDATE ?p SET ATTRIBUTES { core_directives: [] } WHERE { ?p {type: "Person"} }',
    'UPDATE ?l SET METADATA { seen: 1 } WHERE { ?l ({type: "$ConceptType", name: "Domain"}, "belongs_to_domain", ?d) }',
    'DELETE ATTRIBUTES {"core_directives"} FROM ?p WHERE { ?p {type: "Person", name: "$system"} }',
    'DELETE ATTRIBUTES {"none"} FROM ?d WHERE { ?d {type: "Domain", name: "CoreSchema"} }',
    'DELETE METADATA {"source"} FROM ?d WHERE { ?d {type: "$ConceptType", name: "Domain"} }',
    'DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Domain", name: "Archived"} }',
    'DELETE CONCEPT ?d DETACH WHERE { ?d {type: "Person"} }',
    'DELETE PROPOSITIONS ?l WHERE { ?l ({type: "$ConceptType", name: "Domain"}, "belongs_to_domain", ?d) }',
    'MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Domain", name: "Unsorted"} ?b {type: "Domain", name: "System"} }',
    'MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Person", name: "Ines"} ?b {type: "Person", name: "$self"} }',
]
