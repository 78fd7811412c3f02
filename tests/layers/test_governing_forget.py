"""Forgetting: gone from everywhere, told before, and not made again."""

from uuid import uuid4

import pytest

from audit.recording import SYSTEM
from common.errors import NotFound
from common.times import now
from memory.layers.governing.forgetting import forget
from memory.layers.models import (
    Distillation,
    Link,
    Node,
    NodeFact,
    NodeIndex,
    NodeSource,
    NodeStrength,
    Proposal,
    RecallUse,
    Reinforcement,
    ScopeStat,
    TermFrequency,
    Tombstone,
)
from memory.layers.reinforcing import recall_fragments
from memory.layers.tombstones import Blocked
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import attempted, memory_transaction
from tests.layers.at_once import together
from tests.layers.remembered import Remembered
from tests.layers.test_governing_standing import done
from tests.rest.client import SOURCE

SECRET = "The spare key is under the blue pot"


@pytest.fixture
def talk(remembered):
    session = remembered.session(
        SECRET, "Then it rained", "We planted beans", "And peas", client_id="garden", speaker="Ola"
    )
    key = remembered.fragment(SECRET, (session, 0, 0))
    beans = remembered.fragment("We planted beans", (session, 2, 2))
    event = remembered.event("The spare key is under the blue pot, and beans", f"First: {SECRET}.", [key, beans])
    pot = remembered.concept("Blue pot", [key])
    garden = remembered.concept("Garden", [key, beans, event])
    remembered.link((key, "next", beans))
    return {"session": session, "key": key, "beans": beans, "event": event, "pot": pot, "garden": garden}


def everything(space):
    """All that the tables of the layers hold, as text."""
    with entered(space):
        rows = []
        for model in (Node, NodeIndex, Link, NodeSource, NodeFact, Reinforcement, RecallUse, TermFrequency, Tombstone):
            rows += [{k: v for k, v in row.items() if k != "embedding"} for row in model.objects.values()]
        return repr(rows)


def test_a_forgotten_memory_is_gone_from_every_table_and_every_text(rest, talk, remembered, north):
    with entered(north):
        scope = north.scopes.get().pk
        recall_fragments(scope, [talk["key"]], now(), base_tau=14.0, actor="seat:1")
        use = RecallUse.objects.create(scope=scope, actor="seat:1", at=now(), nodes=[talk["beans"], talk["key"]])
    receipt = done(rest, f"memories/{talk['key']}/forget", {"reason": "private"})
    assert receipt["preview"] is False
    assert (receipt["count"], receipt["left_empty"], receipt["layers"]) == (1, 1, {"1": 1, "3": 1})
    assert receipt["rows"]["recalls"] == 1
    assert sorted(receipt["staying"]) == sorted([talk["event"], talk["garden"]])
    assert not remembered.is_there(talk["key"])
    assert not remembered.is_there(talk["pot"])
    held = everything(north).lower()
    assert "blue pot" not in held
    assert ":spare" not in held
    with entered(north):
        use.refresh_from_db()
        assert use.nodes == [talk["beans"]]
        assert not Link.objects.filter(subject=talk["key"]).exists()
        assert not Link.objects.filter(object=talk["pot"]).exists()
        stat = ScopeStat.objects.get()
        rows = list(NodeIndex.objects.values_list("length", flat=True))
        assert (stat.rows, stat.length) == (len(rows), sum(rows))
    assert rest.get(f"memories/{talk['key']}").status_code == 404
    assert done(rest, f"memories/{talk['key']}/forget", {}, status=404)


def test_what_would_go_is_told_first_and_nothing_goes(rest, talk, north):
    before = everything(north)
    told = done(rest, f"memories/{talk['key']}/forget", {"preview": True})
    assert (told["preview"], told["receipt"]) == (True, None)
    assert everything(north) == before
    gone = done(rest, f"memories/{talk['key']}/forget", {})
    same = ("memories", "count", "left_empty", "layers", "rows", "staying", "facts_that_stay")
    assert {name: told[name] for name in same} == {name: gone[name] for name in same}


def test_forgetting_again_with_the_same_key_answers_with_the_same_receipt(rest, talk):
    first = done(rest, f"memories/{talk['key']}/forget", {}, Idempotency_Key="k")
    again = done(rest, f"memories/{talk['key']}/forget", {}, Idempotency_Key="k")
    assert first == again


def test_it_is_not_made_again_from_its_words_or_its_lines(rest, talk, north):
    done(rest, f"memories/{talk['key']}/forget", {})
    session = talk["session"].pk
    with entered(north):
        blocked = Blocked(north.scopes.get().pk)
        assert blocked.fragment(f"  {SECRET.upper()} ", uuid4(), 0, 0)
        assert blocked.fragment("In other words", session, 0, 0)
        assert blocked.fragment("In other words", session, 0, 5)
        assert not blocked.fragment("We planted beans", session, 2, 2)
        assert not blocked.concept("Topic", "Blue pot")
        assert not Blocked(north.scopes.get().pk + 1).fragment(SECRET, uuid4(), 0, 0)


def test_a_forgotten_concept_is_known_by_its_type_and_any_of_its_names(rest, remembered, north):
    node = remembered.concept("Mina", [], type="Person", attributes={"aliases": ["Wilhelmina"]})
    done(rest, f"memories/{node}/forget", {})
    with entered(north):
        blocked = Blocked(north.scopes.get().pk)
        assert blocked.concept("Person", "mina")
        assert blocked.concept("Person", "Wilhelmina")
        assert not blocked.concept("Topic", "Mina")


def test_a_forgotten_event_is_known_by_its_title_or_half_of_its_lines(rest, talk, remembered, north):
    session = talk["session"]
    event = remembered.event("A day in the garden", "Beans and peas", [talk["beans"]], (session, 0, 3))
    done(rest, f"memories/{event}/forget", {})
    with entered(north):
        blocked = Blocked(north.scopes.get().pk)
        assert blocked.event(uuid4(), 0, 9, "a day in the  Garden")
        assert blocked.event(session.pk, 0, 7, "Other")
        assert not blocked.event(session.pk, 0, 8, "Other")
        assert not blocked.fragment("We planted beans", session.pk, 2, 2)
    assert remembered.is_there(talk["beans"])


def test_a_pinned_concept_stays_though_nothing_is_left_under_it(rest, talk, remembered):
    done(rest, f"memories/{talk['pot']}/pin")
    assert done(rest, f"memories/{talk['key']}/forget", {})["left_empty"] == 0
    assert remembered.is_there(talk["pot"])


def test_a_fact_that_rested_on_it_alone_is_named_and_stays(rest, talk, north):
    for name, nodes in (("only", ["key"]), ("both", ["key", "beans"])):
        rest.written(**{"@id": f"fact:{name}"}, source=SOURCE)
        with entered(north):
            for node in nodes:
                NodeFact.objects.create(node_id=talk[node], scope=north.scopes.get().pk, fact=f"fact:{name}")
    told = done(rest, f"memories/{talk['key']}/forget", {"preview": True})
    assert told["facts_that_stay"] == ["fact:only"]
    done(rest, f"memories/{talk['key']}/forget", {})
    assert rest.get("facts/fact:only").status_code == 200


def test_a_fact_that_waits_for_a_person_loses_its_words_and_can_not_be_approved(rest, talk, north):
    with entered(north):
        scope, run = north.scopes.get().pk, uuid4()
        Distillation.objects.create(id=run, scope=scope, trigger="manual", state="done", asked_by="seat:1")
        waiting = Proposal.objects.create(
            run_id=run, scope=scope, batch=uuid4(), kind="fact", key="0",
            body={"statement": SECRET, "fragment": "f", "fragment_node": talk["key"], "sources": []},
        )  # fmt: skip
    done(rest, f"memories/{talk['key']}/forget", {})
    assert rest.get("proposals").json()["proposals"] == []
    answer = rest.post("proposals/decisions", {"ids": [waiting.pk], "decision": "approve"})
    assert (answer.status_code, answer.json()["code"]) == (409, "decided_meanwhile")
    with entered(north):
        waiting.refresh_from_db()
    assert (waiting.body, waiting.state) == ({}, "refused")


def test_all_that_came_from_a_session_goes_and_what_others_say_as_well_stays(rest, talk, remembered, north):
    other = remembered.session("And peas", client_id="kitchen")
    peas = remembered.fragment("And peas", (other, 0, 0), (talk["session"], 3, 3))
    receipt = done(rest, "memories/forget", {"session": str(talk["session"].pk), "reason": "asked to"})
    assert receipt["memories"] == [talk["key"], talk["beans"]]
    assert receipt["layers"] == {"1": 2, "2": 1, "3": 2}
    with entered(north):
        assert list(Node.objects.values_list("pk", flat=True)) == [peas]
        assert [str(row.session) for row in NodeSource.objects.all()] == [str(other.pk)]
        blocked = Blocked(north.scopes.get().pk)
        assert blocked.fragment("Anything at all", talk["session"].pk, 3, 3)
        assert blocked.event(talk["session"].pk, 0, 3, "Anything")
        assert not blocked.fragment("Anything at all", talk["session"].pk, 4, 4)


def test_all_that_a_source_told_goes(rest, talk, remembered):
    elsewhere = remembered.session("The bus was late", client_id="import", origin="transcript")
    bus = remembered.fragment("The bus was late", (elsewhere, 0, 0))
    told = done(rest, "memories/forget", {"source": "transcript", "preview": True})
    assert told["memories"] == [bus]
    done(rest, "memories/forget", {"source": "transcript"})
    assert not remembered.is_there(bus)
    assert remembered.is_there(talk["beans"])


def test_all_that_a_person_said_or_that_was_said_of_them_goes(rest, talk, remembered):
    session = remembered.session("Ola grows leeks", "It rained", client_id="other", speaker="Per")
    leeks = remembered.fragment("Ola grows leeks", (session, 0, 0))
    rain = remembered.fragment("It rained", (session, 1, 1))
    ola = remembered.concept("Olaf", [leeks], type="Person", attributes={"aliases": ["Ola"]})
    receipt = done(rest, "memories/forget", {"person": "ola"})
    assert receipt["memories"] == [talk["key"], talk["beans"], leeks, ola]
    assert remembered.is_there(rain)
    assert not remembered.is_there(talk["event"])


def test_nothing_to_forget_is_a_receipt_of_nothing(rest, talk):
    assert done(rest, "memories/forget", {"person": "Nobody"})["count"] == 0
    assert done(rest, "memories/forget", {"session": str(uuid4())}, status=404)


def test_what_was_forgotten_is_listed_without_content_and_can_be_let_back(rest, talk, north):
    done(rest, f"memories/{talk['key']}/forget", {"reason": "private"})
    answer = rest.get("tombstones").json()
    signs = answer["tombstones"]
    assert {sign["kind"] for sign in signs} == {"text", "lines"}
    assert {(sign["memory"], sign["layer"], sign["reason"], sign["lifted_at"]) for sign in signs} == {
        (talk["key"], 1, "private", None)
    }
    assert "spare" not in str(answer)
    first = rest.get("tombstones", limit=1).json()
    second = rest.get("tombstones", limit=1, cursor=first["next"]).json()
    assert [first["tombstones"][0]["id"], second["tombstones"][0]["id"]] == [sign["id"] for sign in signs]
    assert second["next"] is None
    assert done(rest, f"tombstones/{signs[0]['id']}/lift")["lifted_at"] is not None
    with entered(north):
        assert not Blocked(north.scopes.get().pk).fragment(SECRET, talk["session"].pk, 0, 0)
    assert done(rest, "tombstones/987654/lift", status=404)


class TestAtOnce:
    """Forgetting while others hold on to the same memory."""

    @pytest.fixture
    def space(self, committed_db, new_space):
        return new_space("north")

    @pytest.fixture
    def node(self, space):
        return Remembered(space, space.scopes.get().pk).fragment("The well is dry")

    def forgetting(self, space, node):
        binding = Binding(space, SYSTEM_CALLER, (space.scopes.get(),))

        def work():
            with entered(space):
                return attempted(lambda act: forget(act, binding, [node], now()))

        return work

    def recalling(self, space, node):
        scope = space.scopes.get().pk

        def work():
            with entered(space):
                for _ in range(10):
                    with memory_transaction() as act:
                        recall_fragments(scope, [node], now(), base_tau=14.0, actor="seat:1")
                        act.record(SYSTEM, "test.recall")
            return "recalled"

        return work

    def test_with_a_recall_both_end_and_nothing_is_left(self, space, node):
        outcomes = together(self.forgetting(space, node), *[self.recalling(space, node)] * 3)
        assert sorted(map(str, outcomes))[1:] == ["recalled"] * 3
        with entered(space):
            assert Reinforcement.objects.count() == NodeStrength.objects.count() == Node.objects.count() == 0

    def test_twice_at_once_one_forgets_and_the_other_finds_nothing(self, space, node):
        outcomes = together(self.forgetting(space, node), self.forgetting(space, node))
        assert sorted(isinstance(outcome, NotFound) for outcome in outcomes) == [False, True]
        with entered(space):
            assert Tombstone.objects.count() == 1
