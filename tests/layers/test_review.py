"""A Space that asks for review: nothing is stored before a person says so."""

import uuid
from typing import Any

import pytest

from memory.layers.models import Node, Proposal
from memory.layers.rules.proposals import ConceptProposal
from spaces.databases.entering import entered
from tests.actors import make_seat_token
from tests.layers.at_once import together
from tests.layers.told import TABLES, Plain, Talk, episode, fact, topic
from tests.rest.client import Rest, bearer

SAID = ["The pump of the lower well was repaired", "Bo keeps bees behind the chapel", "I live in Porto now"]
EVERYTHING = Plain(events=episode, concepts=topic("wells"), facts=fact("Porto"))


@pytest.fixture
def talk(north: Any) -> Talk:
    talk = Talk(north)
    talk.settings(review=True)
    talk.say(*SAID)
    talk.distilled(EVERYTHING)
    return talk


def waiting(rest: Rest, kind: str = "") -> list[int]:
    found = rest.get("proposals").json()["proposals"]
    return [row["id"] for row in found if kind in ("", row["kind"])]


def decided(rest: Rest, ids: list[int], decision: str = "approve", edits: dict[str, Any] | None = None) -> Any:
    body = {"ids": ids, "decision": decision}
    return rest.post("proposals/decisions", body | ({"edits": edits} if edits else {}))


def test_nothing_is_stored_before_and_the_lines_count_as_distilled(talk: Talk, rest: Rest):
    assert {name: rows for name, rows in talk.dump(*TABLES).items() if rows} == {}
    assert rest.listed() == []
    assert len(waiting(rest)) == 6
    assert talk.ledger() == [(0, 0, 2)]


def test_a_proposal_is_shown_with_what_it_says_and_its_lines(talk: Talk, rest: Rest):
    found = rest.get("proposals", limit=1).json()
    (first,) = found["proposals"]
    assert (first["kind"], first["body"]["text"], first["state"]) == ("fragment", SAID[0], "waiting")
    assert first["body"]["sources"][0][1:] == [0, 0]
    assert rest.get("proposals", after=found["next"]).json()["proposals"][0]["body"]["text"] == SAID[1]


def test_approved_all_at_once_it_is_as_without_review(talk: Talk, rest: Rest):
    assert decided(rest, waiting(rest)).json() == {"decided": 6}
    assert (talk.texts(), talk.texts(2), talk.texts(3)) == (SAID, [SAID[0]], ["wells"])
    assert rest.listed()[0]["object"] == "Porto"
    links = talk.rows("select predicate, count(*) from link group by 1 order by 1")
    assert links == [("mentions", 3), ("next", 2), ("part_of", 3)]
    assert waiting(rest) == []


def test_one_by_one_it_comes_to_the_same(talk: Talk, rest: Rest):
    for number in waiting(rest):
        assert decided(rest, [number]).status_code == 200
    assert (talk.texts(), talk.texts(2), talk.texts(3)) == (SAID, [SAID[0]], ["wells"])
    links = talk.rows("select predicate, count(*) from link group by 1 order by 1")
    assert links == [("mentions", 3), ("next", 2), ("part_of", 3)]


@pytest.mark.parametrize(("kind", "count", "layer"), [("event", 4, 2), ("concept", 4, 3), ("fact", 2, 1)])
def test_with_what_rests_on_others_go_those_it_rests_on(talk: Talk, rest: Rest, kind: str, count: int, layer: int):
    assert decided(rest, waiting(rest, kind)).json() == {"decided": count}
    assert len(talk.texts()) == count - 1
    assert talk.texts(layer)


def test_a_concept_of_an_event_alone_brings_the_event(north: Any, rest: Rest):
    talk = Talk(north)
    talk.settings(review=True)
    talk.say(*SAID)
    talk.distilled(Plain(events=episode, concepts=lambda _: [ConceptProposal("c1", "Topic", "wells", events=["e1"])]))
    assert decided(rest, waiting(rest, "concept")).json() == {"decided": 5}
    assert talk.texts(3) == ["wells"]


def test_what_is_refused_is_never_stored_and_takes_along_what_rested_on_it(talk: Talk, rest: Rest):
    fragments = waiting(rest, "fragment")
    assert decided(rest, fragments[:2], "refuse").json() == {"decided": 2}
    assert decided(rest, fragments[2:], "refuse").json() == {"decided": 4}
    assert (waiting(rest), talk.texts()) == ([], [])


def test_what_was_refused_is_left_out_of_what_is_approved(talk: Talk, rest: Rest):
    decided(rest, waiting(rest, "fragment")[:1], "refuse")
    decided(rest, waiting(rest))
    assert talk.texts() == SAID[1:]
    assert talk.rows("select count(*) from link where predicate = 'part_of'") == [(2,)]


def test_edits_are_made_before_it_is_stored(talk: Talk, rest: Rest):
    first, second, _, event, concept, stated = waiting(rest)
    edits = {
        str(first): {"text": "The pump of the upper well was repaired"},
        str(event): {"title": "Repairs"},
        str(concept): {"name": "pumps", "type": "Insight"},
        str(stated): {"object": "Braga", "confidence": 0.5},
    }
    assert decided(rest, [first, second, event, concept, stated], edits=edits).status_code == 200
    assert talk.texts()[0] == "The pump of the upper well was repaired"
    with entered(talk.space):
        assert Node.objects.get(layer=2).attributes["title"] == "Repairs"
        assert Node.objects.filter(layer=3).values_list("type", "name").get() == ("Insight", "pumps")
    assert (rest.listed()[0]["object"], rest.listed()[0]["confidence"]) == ("Braga", 0.5)
    assert talk.rows("select 1 from node_index where search::text like '%%:upper%%'") != []


@pytest.mark.parametrize(
    ("place", "edit", "field"),
    [
        (0, {"text": " "}, "text"),
        (0, {"text": "x" * 1_001}, "text"),
        (0, {"text": None}, "text"),
        (0, {"title": "no"}, "title"),
        (3, {"title": 7}, "title"),
        (4, {"type": "not a type"}, "type"),
        (5, {"confidence": 2}, "confidence"),
        (5, {"predicate": "\u0000"}, "predicate"),
        (5, {"object": "x" * 200_000}, "object"),
    ],
)
def test_an_edit_that_cannot_be_is_named_and_nothing_is_stored(
    talk: Talk, rest: Rest, place: int, edit: dict[str, Any], field: str
):
    number = waiting(rest)[place]
    answer = decided(rest, [number], edits={str(number): edit})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"].startswith(f"edits.{number}.{field}")
    assert len(waiting(rest)) == 6
    assert talk.texts() == []


def test_ids_edits_and_decisions_are_checked_by_name(talk: Talk, rest: Rest):
    (first, *_) = waiting(rest)
    for body, status, field in [
        ({"ids": [], "decision": "approve"}, 400, "ids"),
        ({"ids": ["1"], "decision": "approve"}, 400, "ids.0"),
        ({"ids": [first], "decision": "maybe"}, 400, "decision"),
        ({"ids": [first], "decision": "approve", "edits": {"0": {}}}, 400, "edits.0"),
        ({"ids": [first], "decision": "approve", "edits": {"x": {}}}, 400, "edits.x"),
        ({"ids": [first], "decision": "refuse", "edits": {str(first): {"text": "x"}}}, 400, "edits"),
    ]:
        answer = rest.post("proposals/decisions", body)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (status, field)
    for decision in ("approve", "refuse"):
        assert decided(rest, [first, 2**62], decision).status_code == 404
    assert len(waiting(rest)) == 6


@pytest.mark.parametrize("decision", ["approve", "refuse"])
def test_what_was_decided_is_not_decided_again_and_nothing_else_with_it(talk: Talk, rest: Rest, decision: str):
    first, second, *_ = waiting(rest)
    decided(rest, [first], "refuse")
    answer = decided(rest, [second, first], decision)
    assert (answer.status_code, answer.json()["code"]) == (409, "decided_meanwhile")
    assert second in waiting(rest)


@pytest.mark.usefixtures("committed_db")
def test_of_decisions_at_the_same_moment_one_holds(north: Any, rest: Rest):
    talk = Talk(north)
    talk.settings(review=True)
    talk.say(*SAID)
    talk.distilled(EVERYTHING)
    numbers, token = waiting(rest), make_seat_token(north)
    answers = together(*[lambda: decided(bearer(token), numbers).status_code] * 3)
    assert sorted(answers) == [200, 409, 409]
    assert talk.texts() == SAID


def test_what_its_evidence_was_forgotten_of_cannot_be_approved(north: Any, rest: Rest):
    talk = Talk(north)
    talk.say(SAID[2])
    talk.distilled(Plain(facts=fact("Porto", review=True)))
    with entered(north):
        Node.objects.filter(layer=1).delete()
    answer = decided(rest, waiting(rest))
    assert (answer.status_code, answer.json()["code"]) == (409, "evidence_gone")


def test_after_one_of_its_fragments_was_forgotten_the_rest_can_be(talk: Talk, rest: Rest):
    decided(rest, waiting(rest, "fragment"))
    number = talk.node(SAID[0]).pk
    assert rest.post(f"memories/{number}/forget", {}).status_code == 200
    assert decided(rest, waiting(rest)).status_code == 200
    assert talk.rows("select count(*) from link where predicate = 'part_of'") == [(2,)]


def test_what_was_forgotten_is_not_put_up_again(talk: Talk, rest: Rest):
    decided(rest, waiting(rest, "fragment"))
    rest.post(f"memories/{talk.node(SAID[1]).pk}/forget", {})
    with entered(talk.space):
        session = Proposal.objects.all()[0].body["sources"][0][0]
        Proposal.objects.all().delete()
    talk.distilled(Plain(), session=uuid.UUID(session), again=True)
    with entered(talk.space):
        assert {row.body["text"] for row in Proposal.objects.all()} == {SAID[0], SAID[2]}


def test_what_is_known_already_is_reinforced_when_it_is_approved(talk: Talk, rest: Rest):
    decided(rest, waiting(rest))
    talk.say(SAID[0], client="b")
    talk.distilled()
    assert talk.strength(SAID[0]).tau == 14
    decided(rest, waiting(rest))
    assert talk.strength(SAID[0]).tau == 21
