"""MERGE: one concept goes into another, and nothing that was said of either is lost."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.kip.told_kip import Told, told

MERGE = 'MERGE CONCEPT ?d INTO ?c WHERE { ?d {type: "Station", name: :from} ?c {type: "Station", name: :into} }'


@pytest.fixture
def graph(new_space: Callable[..., Any]) -> Told:
    graph = told(new_space)
    graph.tell("""UPSERT {
      CONCEPT ?red { {type: "Line", name: "Red"} }
      CONCEPT ?ines { {type: "Person", name: "Ines"} }
      CONCEPT ?fen { {type: "Station", name: "Fen"} }
      CONCEPT ?quay { {type: "Station", name: "Quay"} SET ATTRIBUTES { zone: 1, gone: null }
        SET PROPOSITIONS { ("served_by", ?red) WITH METADATA { confidence: 0.5 } } }
      CONCEPT ?d { {type: "Station", name: "The Quay"}
        SET ATTRIBUTES { aliases: ["Wharf"], zone: 9, fare: 2, gone: 1 } }
      PROPOSITION ?twin { (?d, "served_by", ?red) SET ATTRIBUTES { since: 1911 } }
        WITH METADATA { confidence: 0.9, source: "s" }
      PROPOSITION ?moves { (?d, "next_stop", ?fen) }
      PROPOSITION { (?d, "feeds", ?quay) }
      PROPOSITION { (?ines, "reported", ?twin) }
      PROPOSITION { (?ines, "reported", ?moves) }
    }""")
    return graph


def test_links_move_and_keep_their_ids_and_twins_become_one(graph):
    moves = graph.link("The Quay", "next_stop", "Fen")["id"]
    stays = graph.link("Quay", "served_by", "Red")["id"]
    result = graph.tell(MERGE, **{"from": "The Quay", "into": "Quay"})
    # Repointed: next_stop, and what Ines said of the twin. Dropped: the twin, and the link from one to the other.
    assert result == {"merged": True, "links_repointed": 2, "links_deduplicated": 2, "attributes_filled": 2}
    moved = graph.link("Quay", "next_stop", "Fen")
    assert (moved["id"], moved["metadata"]["_version"]) == (moves, 2)
    kept = graph.link("Quay", "served_by", "Red")
    assert kept["id"] == stays
    assert kept["attributes"] == {"since": 1911}
    assert (kept["metadata"]["confidence"], kept["metadata"]["source"], kept["metadata"]["_version"]) == (0.5, "s", 2)
    about = graph.rows("select 'P:' || object from link where predicate = 'reported' order by 1")
    assert {called for (called,) in about} == {moves, stays}
    assert graph.node("Station", "The Quay") is None
    quay = graph.node("Station", "Quay")
    assert quay["attributes"] == {"zone": 1, "gone": None, "fare": 2, "aliases": ["Wharf", "The Quay"]}
    assert quay["metadata"]["_merged_from"] == ["Station:The Quay"]
    assert quay["metadata"]["_version"] == 2
    words = graph.rows(
        "select n.name from node n join node_index i on i.node = n.id where i.search::text like '%%wharf%%'"
    )
    assert words == [("Quay",)]


def test_a_trail_of_merges_is_kept(graph):
    graph.tell(MERGE, **{"from": "The Quay", "into": "Quay"})
    graph.tell(MERGE, **{"from": "Quay", "into": "Fen"})
    fen = graph.node("Station", "Fen")
    assert fen["metadata"]["_merged_from"] == ["Station:The Quay", "Station:Quay"]
    assert fen["attributes"]["aliases"] == ["Wharf", "The Quay", "Quay"]


def test_a_merge_that_was_made_says_so(graph):
    graph.tell(MERGE, **{"from": "The Quay", "into": "Quay"})
    error = graph.refused(MERGE, **{"from": "The Quay", "into": "Quay"})
    assert error.code == "KIP_3002"
    assert "already merged" in error.hint


def test_what_cannot_be_merged_is_refused(graph):
    refused = {
        'MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Station"} ?b {type: "Station", name: "Fen"} }': "KIP_3003",
        'MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Line", name: "Red"} ?b {name: "Fen"} }': "KIP_2002",
        'MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Line", name: "Blue"} ?b {type: "Line", name: "Red"} }': "KIP_3002",
        'MERGE CONCEPT ?a INTO ?b WHERE { ?a (?x, "served_by", ?y) ?b {type: "Line", name: "Red"} }': "KIP_2002",
        'MERGE CONCEPT ?a INTO ?z WHERE { ?a {type: "Line", name: "Red"} }': "KIP_3001",
    }
    for text, code in refused.items():
        assert graph.refused(text).code == code, text
    same = 'MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Line", name: "Red"} ?b {name: "Red"} }'
    nothing = {"merged": True, "links_repointed": 0, "links_deduplicated": 0, "attributes_filled": 0}
    assert graph.tell(same) == nothing
