"""What the gate withholds is in no answer of KIP: neither in rows, counts, searches, exports, nor by its links."""

from typing import Any

import pytest

from memory.layers.elements import run_sql
from spaces.databases.entering import entered
from tests.kip.wired import Wired

TOLD = """
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Note"} } CONCEPT { {type: "$PropositionType", name: "cites"} }
  CONCEPT ?a { {type: "Note", name: "open"} }
  CONCEPT ?b { {type: "Note", name: "hidden"} SET ATTRIBUTES { aliases: ["secretly"] } }
  CONCEPT ?c { {type: "Note", name: "other"} }
  PROPOSITION ?l { (?a, "cites", ?b) SET ATTRIBUTES { why: "secretly" } }
  PROPOSITION ?m { (?c, "cites", ?l) }
  PROPOSITION { (?c, "cites", ?a) }
}
"""


@pytest.fixture(params=["phi_ref = 'f-1', classification = 'PHI', text = ''", "merged_into = 1", "superseded_by = 1"])
def gated(kip: Wired, space: Any, request: pytest.FixtureRequest) -> Wired:
    """A graph in which one node is not there for the seat, for one reason or another."""
    kip.result(TOLD)
    with entered(space):
        run_sql(f"update node set {request.param} where type = 'Note' and name = 'hidden'", {})
        run_sql("delete from node_index where node in (select id from node where name = 'hidden')", {})
    return kip


def test_nothing_tells_that_it_is_there(gated: Wired) -> None:
    for command, answer in (
        ('FIND(?n.name) WHERE { ?n {type: "Note"} }', ["open", "other"]),
        ('FIND(COUNT(?n)) WHERE { ?n {type: "Note"} }', 2),
        ('FIND(?n) WHERE { ?n {type: "Note", name: "hidden"} }', []),
        ('FIND(?n.name) WHERE { ({type: "Note", name: "open"}, "cites", ?n) }', []),
        ('FIND(COUNT(?l)) WHERE { ?l (?a, "cites", ?b) }', 1),
        ('FIND(?b.name) WHERE { (?a, "cites", ?b) }', ["open"]),
        ('FIND(?b.name) WHERE { ({type: "Note", name: "other"}, "cites"{1,3}, ?b) }', ["open"]),
        ('FIND(?n.name) WHERE { ?n {type: "Note"} NOT { (?n, "cites", ?x) } }', ["open"]),
        ('FIND(COUNT(?x)) WHERE { ?n {type: "Note"} OPTIONAL { (?n, ?p, ?x) } }', 1),
        ('SEARCH CONCEPT "hidden"', []),
        ('SEARCH CONCEPT "secretly"', []),
        ('SEARCH PROPOSITION "secretly"', []),
    ):
        assert gated.result(command) == answer, command
    assert len(gated.result('SEARCH PROPOSITION "cites"')) == 1
    exported = gated.result('EXPORT ?x WHERE { ?x {type: "Note"} UNION { ?x (?a, "cites", ?b) } }')
    assert (exported["concepts"], exported["propositions"]) == (2, 1)
    assert "hidden" not in exported["capsule"]


def test_no_change_meets_it(gated: Wired) -> None:
    update = 'UPDATE ?n SET ATTRIBUTES { seen: true } WHERE { ?n {type: "Note"} }'
    assert gated.result(update) == {"matched": 2, "updated": 2}
    assert gated.result('DELETE PROPOSITIONS ?l WHERE { ?l (?a, "cites", ?b) }') == {"deleted_propositions": 1}
