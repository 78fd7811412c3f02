"""PHI in recall: found for the purpose its consent names, on record when it is shown, and else not there."""

from typing import Any

import pytest

from audit.models import AuditRow
from common.times import format_instant, now
from spaces.databases.aliases import alias_of
from tests.actors import Trio
from tests.phi.patients import consent, phi
from tests.recall.conftest import asked, node_ids, texts
from tests.recall.memories import Memories
from tests.rest.client import Rest, seat
from tests.sessions.conftest import person

RASH = "The rash on the left arm is back"


def remembered(memories: Memories, rest: Rest, statement: str = RASH, **more: Any) -> int:
    """A PHI fact and the node that stands for it."""
    fact = rest.written(**phi(statement=statement, **more))
    return memories.write(memories.node(1, "", phi_ref=fact["@id"], classification="PHI"))[0]


@pytest.fixture
def rash(memories: Memories, rest: Rest) -> int:
    consent(rest)
    memories.fragments("We fired the kiln", "The arm of the chair is broken")
    return remembered(memories, rest)


def readings(space: Any) -> list[AuditRow]:
    return list(AuditRow.objects.using(alias_of(space.pk)).filter(act="phi.read").order_by("sequence"))


def test_it_is_found_by_its_words_for_the_purpose_and_its_reading_is_on_record(north: Any, rash: int):
    nurse = seat(north, purposes=["treatment"])
    before = len(readings(north))
    found = asked(nurse, "Is the rash back?", explain=True)
    item = found["items"][0]
    assert (item["id"], item["text"], item["layer"]) == (str(rash), RASH, 1)
    assert item["facts"][0].startswith("fact:phi-")
    assert item["explanation"]["share"] == 1.0
    assert 0 < item["strength"] <= 1
    row = readings(north)[-1]
    assert len(readings(north)) == before + 1
    assert (row.purpose, row.consent, row.stated["count"]) == ("treatment", "consent:c1", 1)


def test_what_is_not_shown_is_not_read(north: Any, memories: Memories, rest: Rest, rash: int):
    remembered(memories, rest, "The rash itches")
    nurse = seat(north, purposes=["treatment"])
    asked(nurse, "the rash on the left arm", limit=1)
    assert readings(north)[-1].stated["count"] == 1
    count = len(readings(north))
    asked(nurse, "where is the kiln?")
    assert len(readings(north)) == count


@pytest.mark.parametrize("purposes", [[], ["billing"], ["treatment", "care"]])
def test_without_the_purpose_it_is_not_there(north: Any, rash: int, purposes: list[str]):
    other = seat(north, purposes=purposes)
    found = asked(other, "Is the rash on the arm back?", explain_missing=[str(rash)], explain=True)
    assert str(rash) not in node_ids(found)
    assert "rash" not in str(found["items"])
    assert found["missing"][0]["reason"] == "not_here"
    assert "withheld" not in found
    assert readings(north) == []


def test_an_answer_without_it_is_the_answer_as_if_it_had_never_been(north: Any, memories: Memories, rest: Rest):
    consent(rest)
    memories.fragments("We fired the kiln", "The arm of the chair is broken")
    other, at = seat(north, purposes=["billing"]), format_instant(now())
    body = {"query": "Is the rash on the arm back?", "reinforce": False, "as_of": at, "explain": True}
    without = other.post("recall", body).content
    remembered(memories, rest)
    assert other.post("recall", body).content == without


def test_the_purpose_may_be_stated_in_the_body(north: Any, rash: int):
    both = seat(north, purposes=["treatment", "billing"])
    assert str(rash) in node_ids(asked(both, "rash", purpose="treatment"))
    assert str(rash) not in node_ids(asked(both, "rash", purpose="billing"))
    assert str(rash) not in node_ids(asked(both, "rash"))


def test_withdrawn_it_is_gone_at_the_next_request(north: Any, rest: Rest, rash: int):
    nurse = seat(north, purposes=["treatment"])
    assert str(rash) in node_ids(asked(nurse, "rash"))
    assert rest.post("consents/consent:c1/withdraw", {}).status_code == 200
    assert asked(nurse, "rash", explain_missing=[str(rash)])["missing"][0]["reason"] == "not_here"
    assert str(rash) not in node_ids(asked(nurse, "rash"))
    past = asked(nurse, "rash", as_of=format_instant(now()))
    assert str(rash) not in node_ids(past)


def test_it_is_strengthened_like_any_fragment(north: Any, memories: Memories, rash: int):
    asked(seat(north, purposes=["treatment"]), "rash", reinforce=True)
    assert [row.kind for row in memories.history(rash)] == ["formed", "recall"]


@pytest.mark.parametrize("ranking", ["fused", "plain"])
def test_it_takes_its_place_in_either_order_and_can_be_explained(
    north: Any, memories: Memories, rest: Rest, rash: int, ranking: str
):
    memories.fragments("The rash of the neighbour's dog", "Her arm was in a sling")
    other = remembered(memories, rest, "Takes cream for the arm")
    nurse = seat(north, purposes=["treatment"])
    ids = [str(rash), str(other)]
    found = asked(nurse, "the rash on the left arm", ranking=ranking, explain=True, limit=100, explain_missing=ids)
    order = node_ids(found)
    assert order.index(ids[0]) < order.index(ids[1])
    assert [entry["reason"] for entry in found["missing"]] == ["not_missing", "not_missing"]
    assert [item["explanation"]["rank"] for item in found["items"]] == list(range(1, len(order) + 1))
    if ranking == "fused":
        assert [i["score"] for i in found["items"]] == sorted((i["score"] for i in found["items"]), reverse=True)
    else:
        steps = [item["explanation"].get("step", "phi") for item in found["items"]]
        assert steps == sorted(steps, key=["spreading", "phi", "words"].index)
    cut = asked(nurse, "the rash on the left arm", ranking=ranking, limit=1, explain_missing=ids)["missing"][1]
    assert (cut["reason"], cut["place"]) == ("cut_off", order.index(ids[1]) + 1)


def test_what_phi_pushes_out_is_told_its_real_place(north: Any, memories: Memories, rash: int):
    node = memories.fragment("A rash decision")
    nurse = seat(north, purposes=["treatment"])
    every = node_ids(asked(nurse, "the rash", limit=100))
    place = every.index(str(node)) + 1
    found = asked(nurse, "the rash", limit=place, explain_missing=[str(node)])
    assert found["missing"][0]["reason"] == "not_missing"
    if place > 1:
        cut = asked(nurse, "the rash", limit=place - 1, explain_missing=[str(node)])["missing"][0]
        assert (cut["reason"], cut["place"]) == ("cut_off", place)


def test_one_that_holds_no_word_of_the_question_says_so(north: Any, rash: int):
    nurse = seat(north, purposes=["treatment"])
    entry = asked(nurse, "where is the kiln?", explain_missing=[str(rash)])["missing"][0]
    assert (entry["reason"], "none of the question's words" in entry["detail"]) == ("phi", True)


def test_archived_corrected_merged_and_later_ones_are_not_found(memories: Memories, north: Any, rash: int):
    nurse = seat(north, purposes=["treatment"])
    changes = [
        ("node_strength set archived_at = now() where node", "node_strength set archived_at = null where node"),
        ("node set superseded_by = 1 where id", "node set superseded_by = null where id"),
        ("node set merged_into = 1 where id", "node set merged_into = null where id"),
    ]
    for change, back in changes:
        memories.sql(f"update {change} = %(node)s", node=rash)
        assert str(rash) not in node_ids(asked(nurse, "rash"))
        memories.sql(f"update {back} = %(node)s", node=rash)
    assert str(rash) in node_ids(asked(nurse, "rash"))
    assert str(rash) not in node_ids(asked(nurse, "rash", as_of="2020-01-01"))
    assert str(rash) not in node_ids(asked(nurse, "rash", before="2020-01-01"))


def test_a_node_that_is_phi_and_names_no_fact_is_shown_to_nobody(north: Any, memories: Memories):
    fragment = memories.fragment("We fired the kiln")
    event = memories.event("Visit", "The kiln and the rash", [fragment])
    memories.sql("update node set classification = 'PHI' where id = %(node)s", node=event)
    found = asked(seat(north, purposes=["treatment"]), "kiln rash", explain_missing=[str(event)])
    assert node_ids(found) == [str(fragment)]
    assert found["missing"][0]["reason"] == "not_here"


def test_how_much_is_withheld_is_counted_for_those_who_govern(trio: Trio):
    memories = Memories(trio.space, trio.space.scopes.get(owner=None).pk)
    for name in ("fact:phi-1", "fact:phi-2"):
        memories.write(memories.node(1, "", phi_ref=name, classification="PHI"))
    archived = memories.write(memories.node(1, "", phi_ref="fact:phi-3", classification="PHI"))[0]
    memories.archive(archived)
    assert asked(person(trio, "owner"), "kiln", scope="shared")["withheld"] == {"PHI": 2}
    for other in (person(trio, "teammate"), seat(trio.space)):
        assert "withheld" not in asked(other, "kiln", scope="shared")


def test_what_is_released_to_those_who_govern_is_not_counted_as_withheld(trio: Trio):
    writer = seat(trio.space)
    consent(writer)
    memories = Memories(trio.space, trio.space.scopes.get(owner=None).pk)
    remembered(memories, writer)
    owner = person(trio, "owner")
    assert asked(owner, "rash", scope="shared")["withheld"] == {"PHI": 1}
    found = asked(owner, "rash", scope="shared", purpose="treatment")
    assert (found["withheld"], texts(found)) == ({}, [RASH])
