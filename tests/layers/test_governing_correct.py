"""Correcting a memory, and moving a concept to another type."""

import pytest

from memory.layers.models import Link, Node, NodeFact, NodeSource
from memory.layers.tombstones import Blocked
from spaces.databases.entering import entered
from tests.layers.test_governing_standing import done


@pytest.fixture
def wrong(remembered, north):
    session = remembered.session("The meeting is on Monday", "Bring cake", client_id="plans")
    monday = remembered.fragment("The meeting is on Monday", (session, 0, 0), score=0.3)
    event = remembered.event("Planning", "The meeting is on Monday", [monday], (session, 0, 1))
    topic = remembered.concept("Meeting", [monday, event])
    with entered(north):
        NodeFact.objects.create(node_id=monday, scope=north.scopes.get().pk, fact="fact:x")
    return {"session": session, "monday": monday, "event": event, "topic": topic}


def test_a_correction_takes_the_place_of_the_old_words(rest, wrong, remembered, north):
    old = wrong["monday"]
    new = done(rest, f"memories/{old}/correct", {"text": "The meeting is on Tuesday"}, status=201)
    assert new["id"] != old
    assert (new["layer"], new["type"], new["text"]) == (1, "Fragment", "The meeting is on Tuesday")
    assert new["strength"]["score"] == 1
    assert [(source["from"], source["to"]) for source in new["sources"]] == [(0, 0)]
    shown = rest.get(f"memories/{old}").json()
    assert (shown["superseded_by"], shown["text"]) == (new["id"], "The meeting is on Monday")
    assert shown["archived_at"] is not None
    assert rest.get(f"memories/{new['id']}").json()["attributes"]["corrects"] == old
    assert (remembered.is_indexed(old), remembered.is_indexed(new["id"])) == (False, True)
    with entered(north):
        links = Link.objects.filter(subject=new["id"]).values_list("predicate", "object")
        assert sorted(links) == [("mentions", wrong["topic"]), ("part_of", wrong["event"])]
        assert list(NodeFact.objects.filter(node=new["id"]).values_list("fact", flat=True)) == ["fact:x"]
        blocked = Blocked(north.scopes.get().pk)
        assert blocked.fragment("The meeting is on Monday", wrong["session"].pk, 0, 0)
        assert blocked.fragment("Monday it is", wrong["session"].pk, 0, 0)
        assert not blocked.fragment("Bring cake", wrong["session"].pk, 1, 1)


def test_what_was_corrected_is_neither_corrected_nor_restored_again(rest, wrong):
    new = done(rest, f"memories/{wrong['monday']}/correct", {"text": "On Tuesday"}, status=201)["id"]
    for path, body in (("correct", {"text": "On Friday"}), ("restore", None)):
        refused = done(rest, f"memories/{wrong['monday']}/{path}", body, status=409)
        assert (refused["code"], refused["by"]) == ("superseded", new)
    again = done(rest, f"memories/{new}/correct", {"text": "On Friday"}, status=201)["id"]
    done(rest, f"memories/{again}/forget", {})
    for node in (wrong["monday"], new, again):
        assert rest.get(f"memories/{node}").status_code == 404


def test_an_event_is_corrected_in_title_and_text(rest, wrong):
    new = done(rest, f"memories/{wrong['event']}/correct", {"name": "Planning the fair"}, status=201)
    assert (new["name"], new["text"]) == ("Planning the fair", "The meeting is on Monday")


def test_a_concept_gets_another_name_and_the_old_one_does_not_come_back(rest, wrong, north):
    new = done(rest, f"memories/{wrong['topic']}/correct", {"name": "Fair"}, status=201)
    assert new["name"] == "Fair"
    with entered(north):
        blocked = Blocked(north.scopes.get().pk)
        assert blocked.concept("Topic", "meeting")
        assert not blocked.concept("Topic", "Fair")
        assert Link.objects.filter(object=new["id"], predicate="mentions").count() == 2


def test_a_concept_keeps_its_name_under_another_description(rest, wrong, north):
    new = done(rest, f"memories/{wrong['topic']}/correct", {"text": "The yearly one"}, status=201)
    assert (new["name"], new["text"]) == ("Meeting", "The yearly one")
    with entered(north):
        assert Node.objects.get(type="Topic", name="Meeting").pk == new["id"]
        assert not Blocked(north.scopes.get().pk).concept("Topic", "Meeting")


@pytest.mark.parametrize(
    ("which", "body", "field"),
    [
        ("monday", {"text": "The meeting is on Monday"}, "text"),
        ("monday", {}, "text"),
        ("monday", {"name": "Monday", "text": "Other"}, "name"),
        ("topic", {"name": "Meeting"}, "name"),
    ],
)
def test_a_correction_that_corrects_nothing_names_its_field(rest, wrong, which, body, field):
    answer = rest.post(f"memories/{wrong[which]}/correct", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


def test_a_taken_name_is_refused_and_named(rest, wrong, remembered):
    other = remembered.concept("Fair", [])
    person = remembered.concept("Fair", [], type="Person")
    refused = done(rest, f"memories/{wrong['topic']}/correct", {"name": "Fair"}, status=409)
    assert (refused["code"], refused["memory"]) == ("name_taken", other)
    refused = done(rest, f"memories/{other}/retype", {"type": "Person"}, status=409)
    assert refused["memory"] == person


def test_a_concept_moves_to_another_type(rest, wrong):
    assert done(rest, f"memories/{wrong['topic']}/retype", {"type": "Insight"})["type"] == "Insight"
    assert done(rest, f"memories/{wrong['topic']}/retype", {"type": "Insight"})["type"] == "Insight"
    refused = done(rest, f"memories/{wrong['monday']}/retype", {"type": "Insight"}, status=422)
    assert refused["errors"][0]["field"] == "type"


def test_the_old_memory_keeps_what_it_rested_on(rest, wrong, north):
    done(rest, f"memories/{wrong['monday']}/correct", {"text": "On Tuesday"}, status=201)
    with entered(north):
        assert NodeSource.objects.filter(node=wrong["monday"]).count() == 1
        assert Link.objects.filter(subject=wrong["monday"]).count() == 2
