"""Lineage both ways: down to the lines, up from a line."""

import pytest

from audit.models import AuditRow
from audit.recording import SYSTEM
from common.times import now
from memory.keys.keeping import key_for
from memory.layers.models import NodeFact
from memory.layers.reinforcing import recall_fragments
from memory.sessions.models import Session
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.actors import make_scope
from tests.layers.remembered import Remembered
from tests.layers.test_governing_standing import done


@pytest.fixture
def choir(remembered, rest, north):
    session = remembered.session("I joined a choir", "We sing on Fridays", "Bass, I think", client_id="choir")
    joined = remembered.fragment("I joined a choir", (session, 0, 0))
    fridays = remembered.fragment("We sing on Fridays", (session, 1, 2))
    evening = remembered.event("Joining", "A choir on Fridays", [joined, fridays], (session, 0, 1), (session, 2, 2))
    singing = remembered.concept("Singing", [evening, fridays])
    other = remembered.session("The choir sang Bach", client_id="later")
    bach = remembered.fragment("The choir sang Bach", (other, 0, 0))
    remembered.link((bach, "mentions", singing))
    rest.written(**{"@id": "fact:choir"})
    with entered(north):
        scope = north.scopes.get().pk
        NodeFact.objects.create(node_id=joined, scope=scope, fact="fact:choir")
        recall_fragments(scope, [bach], now(), base_tau=14.0, actor="seat:1")
    return {
        "session": session,
        "joined": joined,
        "fridays": fridays,
        "evening": evening,
        "singing": singing,
        "bach": bach,
    }


def lineage(rest, node):
    answer = rest.get(f"memories/{node}/lineage")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_concept_leads_down_to_the_lines_each_memory_once(rest, choir):
    root = lineage(rest, choir["singing"])
    assert [below["id"] for below in root["rests_on"]] == [choir["evening"], choir["bach"]]
    evening, bach = root["rests_on"]
    assert {below["id"] for below in evening["rests_on"]} == {choir["joined"], choir["fridays"]}
    fridays = next(below for below in evening["rests_on"] if below["id"] == choir["fridays"])
    (source,) = fridays["sources"]
    assert (source["client_id"], source["from"], source["to"]) == ("choir", 1, 2)
    assert [line["text"] for line in source["lines"]] == ["We sing on Fridays", "Bass, I think"]
    assert [step["kind"] for step in bach["reinforcements"]] == ["formed", "recall"]
    joined = next(below for below in evening["rests_on"] if below["id"] == choir["joined"])
    assert joined["facts"] == ["fact:choir"]
    assert not root["more"]


def test_an_event_leads_to_its_fragments_and_a_fragment_to_its_lines(rest, choir):
    assert {below["id"] for below in lineage(rest, choir["evening"])["rests_on"]} == {choir["joined"], choir["fridays"]}
    alone = lineage(rest, choir["joined"])
    assert alone["rests_on"] == []
    assert alone["sources"][0]["lines"][0]["text"] == "I joined a choir"


def test_that_lines_were_read_is_on_record(rest, choir, north):
    lineage(rest, choir["joined"])
    with entered(north) as here:
        row = AuditRow.objects.using(here.alias).filter(act="memory.lineage").latest("sequence")
        assert (row.object, row.stated["lines"]) == (f"memory:{choir['joined']}", 1)


def test_a_wide_concept_shows_a_hundred_and_says_that_there_is_more(rest, remembered):
    notes = [remembered.node(1, "Fragment", f"note {number}", f"note {number}") for number in range(101)]
    topic = remembered.concept("Notes", notes)
    root = lineage(rest, topic)
    assert (len(root["rests_on"]), root["more"]) == (100, True)


def test_a_line_leads_up_to_what_it_became(rest, choir):
    answer = rest.get(f"sessions/{choir['session'].pk}/lines/0/memories")
    assert answer.status_code == 200, answer.content
    found = answer.json()
    assert [memory["id"] for memory in found["fragments"]] == [choir["joined"]]
    assert [memory["id"] for memory in found["events"]] == [choir["evening"]]
    assert [memory["id"] for memory in found["concepts"]] == [choir["singing"]]
    assert (found["facts"], found["forgotten"]) == (["fact:choir"], 0)


def test_a_line_tells_that_what_it_became_was_forgotten(rest, choir):
    done(rest, f"memories/{choir['joined']}/forget", {})
    found = rest.get(f"sessions/{choir['session'].pk}/lines/0/memories").json()
    assert (found["fragments"], found["facts"], found["forgotten"]) == ([], [], 1)


@pytest.mark.parametrize("path", ["{}/lines/9", "{}/lines/-1", "{}/lines/x", "{}/lines/99999999999", "nope/lines/0"])
def test_a_line_that_is_not_there_is_not_found(rest, choir, path):
    answer = rest.get(f"sessions/{path.format(choir['session'].pk)}/memories")
    assert (answer.status_code, answer.json()["detail"]) == (404, "There is no such line.")


def test_lines_of_another_scope_are_not_there(rest, north):
    elsewhere = Remembered(north, make_scope(north, "elsewhere").pk)
    session = elsewhere.session("Hidden here")
    node = elsewhere.fragment("Hidden here", (session, 0, 0))
    assert rest.get(f"sessions/{session.pk}/lines/0/memories").status_code == 404
    assert rest.get(f"memories/{node}/lineage").status_code == 404


def test_lines_of_a_phi_session_are_not_shown(rest, remembered, north):
    session = remembered.session("masked")
    node = remembered.fragment("A walk", (session, 0, 0))
    with entered(north), memory_transaction() as act:
        key, _ = key_for(session.scope, "someone", None)
        Session.objects.filter(pk=session.pk).update(classification="PHI", key=key, consent="consent:1")
        act.record(SYSTEM, "test.seal")
    assert lineage(rest, node)["sources"][0]["lines"] == []
    assert rest.get(f"sessions/{session.pk}/lines/0/memories").status_code == 404
