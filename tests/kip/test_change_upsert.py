"""UPSERT: what is matched, what is made, what is left as it was."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.kip.told_kip import Told, told


@pytest.fixture
def graph(new_space: Callable[..., Any]) -> Told:
    return told(new_space)


def test_a_text_makes_concepts_and_links_and_says_which(graph):
    result = graph.tell("""UPSERT {
      CONCEPT ?red { {type: "Line", name: "Red"} SET ATTRIBUTES { opened: 1911 } }
      CONCEPT ?quay { {type: "Station", name: "Quay"} SET ATTRIBUTES { zone: 1, closed: null }
        SET PROPOSITIONS { ("served_by", ?red) WITH METADATA { confidence: 0.4 } } } WITH METADATA { confidence: 0.7 }
      CONCEPT { {type: "Station", name: "Mill"} }
      PROPOSITION { ({type: "Station", name: "Quay"}, "next_stop", {type: "Station", name: "Mill"})
        SET ATTRIBUTES { minutes: 3 } } WITH METADATA { memory_strength: 0.9 }
    } WITH METADATA { source: "survey", confidence: 0.9 }""")
    assert result["blocks"] == 1
    assert len(result["upsert_concept_nodes"]) == 3
    assert len(result["upsert_proposition_links"]) == 1
    quay = graph.node("Station", "Quay")
    assert quay["id"] == result["upsert_concept_nodes"][1]
    assert quay["attributes"] == {"zone": 1, "closed": None}
    assert {"source": "survey", "confidence": 0.7, "_version": 1}.items() <= quay["metadata"].items()
    assert graph.node("Line", "Red")["metadata"]["confidence"] == 0.9
    assert graph.link("Quay", "served_by", "Red")["metadata"]["confidence"] == 0.4
    stop = graph.link("Quay", "next_stop", "Mill")
    assert stop["attributes"] == {"minutes": 3}
    assert (stop["metadata"]["memory_strength"], stop["metadata"]["source"]) == (0.9, "survey")


def test_the_metadata_of_a_block_goes_to_its_own_links_and_not_to_what_they_lead_to(graph):
    graph.tell('UPSERT { CONCEPT { {type: "Line", name: "Red"} } }')
    graph.tell("""UPSERT { CONCEPT { {type: "Station", name: "Quay"}
      SET PROPOSITIONS { ("served_by", {type: "Line", name: "Red"}) } } WITH METADATA { expires_at: "2030-01-01" } }""")
    assert graph.link("Quay", "served_by", "Red")["metadata"]["expires_at"] == "2030-01-01"
    assert "expires_at" not in graph.node("Line", "Red")["metadata"]
    assert graph.node("Line", "Red")["metadata"]["_version"] == 1


def test_what_is_there_is_merged_key_by_key_and_arrays_and_objects_go_whole(graph):
    graph.tell("""UPSERT { CONCEPT { {type: "Station", name: "Quay"}
      SET ATTRIBUTES { zone: 1, tags: ["old", "river"], geo: {lat: 51.5, lon: 1} } } WITH METADATA { source: "a" } }""")
    graph.tell("""UPSERT { CONCEPT { {type: "Station", name: "Quay"}
      SET ATTRIBUTES { tags: ["river"], geo: {lat: 1} } } WITH METADATA { source: null } }""")
    quay = graph.node("Station", "Quay")
    assert quay["attributes"] == {"zone": 1, "tags": ["river"], "geo": {"lat": 1}}
    assert quay["metadata"]["source"] is None
    assert quay["metadata"]["_version"] == 2


def test_the_same_again_changes_nothing(graph):
    text = """UPSERT {
      CONCEPT ?a { {type: "Station", name: "Quay"} SET ATTRIBUTES { big: 1e300, zone: 1.0, note: "é\\n" } }
      CONCEPT ?b { {type: "Station", name: "Mill"} SET PROPOSITIONS { ("next_stop", ?a) } }
    } WITH METADATA { source: "s" }"""
    first = graph.tell(text)
    before = graph.rows("select id, version, updated_at from node order by id")
    links = graph.rows("select id, version, updated_at from link order by id")
    history = graph.rows("select count(*) from element_history")
    assert graph.tell(text) == first
    assert graph.rows("select id, version, updated_at from node order by id") == before
    assert graph.rows("select id, version, updated_at from link order by id") == links
    assert graph.rows("select count(*) from element_history") == history


def test_one_statement_makes_one_version_and_stacked_ones_make_one_each(graph):
    graph.tell("""UPSERT { CONCEPT ?a { {type: "Line", name: "Red"} SET ATTRIBUTES { a: 1 } }
      CONCEPT ?a { {type: "Line", name: "Red"} SET ATTRIBUTES { b: 1 } } }""")
    assert graph.node("Line", "Red")["metadata"]["_version"] == 1
    result = graph.tell("""UPSERT { CONCEPT ?a { {type: "Line", name: "Red"} SET ATTRIBUTES { a: 2 } } }
      UPSERT { CONCEPT { {type: "Station", name: "Quay"} SET PROPOSITIONS { ("served_by", ?a) } }
        CONCEPT { {type: "Line", name: "Red"} SET ATTRIBUTES { a: 3 } } }""")
    assert result["blocks"] == 2
    assert graph.node("Line", "Red")["metadata"]["_version"] == 3
    versions = graph.rows(
        "select version, attributes->>'a' from element_history where names->>'name' = 'Red' order by id"
    )
    assert versions == [(1, "1"), (2, "2"), (3, "3")]


def test_a_concept_is_found_by_its_id_and_never_made_by_it(graph):
    (quay,) = graph.tell('UPSERT { CONCEPT { {type: "Station", name: "Quay"} } }')["upsert_concept_nodes"]
    graph.tell("UPSERT { CONCEPT { {id: :id} SET ATTRIBUTES { zone: 4 } } }", id=quay)
    assert graph.node("Station", "Quay")["attributes"] == {"zone": 4}
    for unknown in ("C:99999999", "nonsense", ""):
        assert graph.refused("UPSERT { CONCEPT { {id: :id} SET ATTRIBUTES { zone: 4 } } }", id=unknown).code in (
            "KIP_3002",
            "KIP_1001",
        )
    assert graph.refused('UPSERT { PROPOSITION { (id: "P:99999999") SET ATTRIBUTES { a: 1 } } }').code == "KIP_3002"


def test_links_of_links_are_made_by_naming_the_link(graph):
    graph.tell("""UPSERT { CONCEPT ?a { {type: "Station", name: "Quay"} } CONCEPT ?b { {type: "Station", name: "Mill"} }
      PROPOSITION { (?a, "next_stop", ?b) } CONCEPT { {type: "Person", name: "Ines"} } }""")
    text = """UPSERT { PROPOSITION { ({type: "Person", name: :who}, "reported",
      ({type: "Station", name: "Quay"}, "next_stop", {type: "Station", name: "Mill"})) } }"""
    assert graph.refused(text, who="Nobody").code == "KIP_3002"
    (claim,) = graph.tell(text, who="Ines")["upsert_proposition_links"]
    assert graph.element(claim)["object"] == graph.link("Quay", "next_stop", "Mill")["id"]
    graph.tell("UPSERT { PROPOSITION { (id: :claim) } WITH METADATA { confidence: 0.5 } }", claim=claim)
    assert graph.element(claim)["metadata"]["confidence"] == 0.5
    refused = graph.refused("""UPSERT { PROPOSITION { ({type: "Person", name: "Ines"}, "reported",
      ({type: "Station", name: "Mill"}, "next_stop", {type: "Station", name: "Quay"})) } }""")
    assert refused.code == "KIP_3002"


def test_a_refused_text_writes_nothing(graph):
    before = graph.rows("select count(*) from node"), graph.rows("select count(*) from link")
    for text, code in REFUSED:
        error = graph.refused(text)
        assert (error.code, bool(error.hint)) == (code, True), (text, error.message)
    assert (graph.rows("select count(*) from node"), graph.rows("select count(*) from link")) == before


def test_the_nearest_name_is_hinted_at(graph):
    assert "Station" in graph.refused('UPSERT { CONCEPT { {type: "station", name: "Q"} } }').hint
    error = graph.refused("""UPSERT { CONCEPT ?a { {type: "Station", name: "Q"} }
      CONCEPT ?b { {type: "Station", name: "M"} SET PROPOSITIONS { ("next_stopp", ?a) } } }""")
    assert "next_stop" in error.hint


def test_a_version_is_expected_as_the_statement_found_it(graph):
    graph.tell('UPSERT { CONCEPT { {type: "Line", name: "Red"} EXPECT VERSION 0 SET ATTRIBUTES { a: 1 } } }')
    assert graph.refused('UPSERT { CONCEPT { {type: "Line", name: "Red"} EXPECT VERSION 0 } }').code == "KIP_3005"
    graph.tell('UPSERT { CONCEPT { {type: "Line", name: "Red"} EXPECT VERSION 1 SET ATTRIBUTES { a: 2 } } }')
    refused = graph.refused('UPSERT { CONCEPT { {type: "Line", name: "Red"} EXPECT VERSION 1 } }')
    assert (refused.code, refused.data) == ("KIP_3005", {"expected": 1, "version": 2})
    link = """UPSERT { CONCEPT ?a { {type: "Station", name: "Q"} }
      PROPOSITION { (?a, "served_by", {type: "Line", name: "Red"}) EXPECT VERSION :v SET ATTRIBUTES { a: :v } } }"""
    assert graph.refused(link, v=1).code == "KIP_3005"
    graph.tell(link, v=0)
    assert graph.refused(link, v=0).code == "KIP_3005"
    graph.tell(link, v=1)


def test_types_made_earlier_in_the_text_are_there_for_the_rest_of_it(graph):
    graph.tell("""UPSERT {
      CONCEPT { {type: "$ConceptType", name: "Bridge"} SET ATTRIBUTES { description: "b" } }
      CONCEPT { {type: "$PropositionType", name: "spans"} SET ATTRIBUTES { subject_types: ["Bridge"] } }
      CONCEPT ?s { {type: "Station", name: "Quay"} }
      CONCEPT { {type: "Bridge", name: "Old"} SET PROPOSITIONS { ("spans", ?s) } } }
      UPSERT { CONCEPT { {type: "Bridge", name: "New"} } }""")
    assert graph.node("Bridge", "New")
    refused = graph.refused("""UPSERT { CONCEPT { {type: "Station", name: "Quay"}
      SET PROPOSITIONS { ("spans", {type: "Bridge", name: "Old"}) } } }""")
    assert refused.code == "KIP_2002"


REFUSED = [
    ('UPSERT { CONCEPT { {type: "Statoin", name: "Quay"} } }', "KIP_2001"),
    ('UPSERT { CONCEPT { {type: "station", name: "Quay"} } }', "KIP_2001"),
    (
        'UPSERT { CONCEPT ?a { {type: "Station", name: "Q"} SET PROPOSITIONS { ("twinned", ?b) } } }',
        "KIP_2001",
    ),
    ('UPSERT { CONCEPT ?a { {type: "Station", name: "Q"} SET PROPOSITIONS { ("feeds", ?b) } } }', "KIP_3001"),
    ('UPSERT { CONCEPT ?a { {type: "Station", name: "Q"} SET PROPOSITIONS { ("feeds", ?a) } } }', "KIP_3001"),
    (
        (
            'UPSERT { CONCEPT { {type: "Station", name: "Q"} SET PROPOSITIONS'
            ' { ("feeds", {type: "Station", name: "Q"}) } } }'
        ),
        "KIP_2002",
    ),
    (
        (
            'UPSERT { CONCEPT { {type: "Station", name: "Q"} SET PROPOSITIONS'
            ' { ("feeds", {type: "Station", name: "Nowhere"}) } } }'
        ),
        "KIP_3002",
    ),
    (
        (
            'UPSERT { CONCEPT ?l { {type: "Line", name: "R"} } CONCEPT ?m { {type: "Line", name: "S"}'
            ' SET PROPOSITIONS { ("served_by", ?l) } } }'
        ),
        "KIP_2002",
    ),
    (
        (
            'UPSERT { CONCEPT ?a { {type: "Station", name: "Q"} } CONCEPT ?b { {type: "Station", name: "M"} }'
            ' PROPOSITION ?l { (?a, "next_stop", ?b) } PROPOSITION { (?l, "next_stop", ?a) } }'
        ),
        "KIP_2002",
    ),
    ('UPSERT { CONCEPT { {type: "Station", name: "Q"} } WITH METADATA { _score: 1 } }', "KIP_2002"),
    ('UPSERT { CONCEPT { {type: "Station", name: "Q"} } } WITH METADATA { _version: 1 }', "KIP_2002"),
    ('UPSERT { CONCEPT { {type: "Station", name: "Q"} } WITH METADATA { a: { _b: 1 } } }', "KIP_2002"),
    (
        (
            'UPSERT { CONCEPT ?l { {type: "Line", name: "R"} } CONCEPT { {type: "Station", name: "Q"}'
            ' SET PROPOSITIONS { ("served_by", ?l) WITH METADATA { _x: null } } } }'
        ),
        "KIP_2002",
    ),
    ('UPSERT { CONCEPT { {type: "Station", name: "Q"} SET ATTRIBUTES { classification: "phi" } } }', "KIP_2002"),
    ('UPSERT { CONCEPT { {type: "Station", name: "Q"} } } WITH METADATA { classification: "PHI" }', "KIP_2002"),
    ('UPSERT { CONCEPT { {type: "Station", name: "Q"} SET ATTRIBUTES { note: "a\\u0000b" } } }', "KIP_2003"),
    ('UPSERT { CONCEPT { {type: "Station", name: "Q"} EXPECT VERSION 1 } }', "KIP_3005"),
]
