"""A PHI session: only sealed facts are learnt from it, and nodes without a word that stand for them."""

import logging
from typing import Any

import pytest

from memory.facts.models import Fact
from memory.layers import tasks
from memory.layers.distilling import distil
from memory.layers.models import Node, NodeIndex, Proposal, TermFrequency
from spaces.databases.entering import entered
from tests.layers.told import Plain, Talk, fact
from tests.phi.patients import SUBJECT, consent
from tests.rest.client import Rest, seat
from tests.sessions.conftest import appended, line, opened
from tests.sessions.everywhere import tables_with

WORD = "qzxrashwvk"
PHI: dict[str, Any] = {"classification": "PHI", "subject": SUBJECT, "consent": "consent:c1"}
SAID = [f"I prefer {WORD} cream over the other one", f"My sister {WORD.title()} drove me to the clinic last week"]


@pytest.fixture
def ward(north: Any) -> Rest:
    """A seat that opened a PHI session and said two things in it."""
    rest = seat(north)
    consent(rest)
    appended(rest, opened(rest, "visit-1", **PHI), [line(text) for text in SAID])
    return rest


@pytest.fixture
def talk(north: Any, ward: Rest) -> Talk:
    return Talk(north, Plain(facts=fact(WORD, "prefers", fragment="f0.0")))


def nodes(talk: Talk) -> list[Node]:
    with entered(talk.space):
        return list(Node.objects.order_by("pk"))


def test_none_of_its_words_stands_anywhere(talk: Talk, north: Any, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    run = talk.ask()
    with entered(north):
        assert distil(run.pk)
        assert Fact.objects.count() >= 1
        assert (NodeIndex.objects.count(), TermFrequency.objects.count()) == (0, 0)
    assert tables_with(north, WORD, "cream", "clinic", "4471") == set()
    assert WORD not in caplog.text.lower()


def test_its_facts_are_sealed_and_a_node_points_to_each(talk: Talk, north: Any):
    run = talk.distilled()
    assert run.outcome == {"lines": 2, "facts": 1, "fragments": 1}
    (node,) = nodes(talk)
    with entered(north):
        found = Fact.objects.get()
    assert (node.text, node.classification, node.phi_ref) == ("", "PHI", found.id)
    assert (found.statement, found.source, found.consent, found.sealed is not None) == ("", "", "consent:c1", True)
    assert talk.rows("select first, last from node_source") == [(0, 0)]


def test_who_may_know_the_fact_finds_it_with_its_lines(talk: Talk, north: Any):
    talk.distilled()
    nurse = seat(north, purposes=["treatment"])
    (found,) = nurse.get("facts").json()["facts"]
    assert (found["predicate"], found["object"]) == ("prefers", WORD)
    assert found["source"].startswith("session://")
    assert seat(north, purposes=[]).get("facts").json()["facts"] == []


def test_distilled_again_it_learns_nothing_twice(talk: Talk):
    talk.distilled()
    (node,) = nodes(talk)
    session = talk.rows("select id from session")[0][0]
    assert talk.distilled(session=session, again=True).outcome == {"lines": 2}
    assert [found.pk for found in nodes(talk)] == [node.pk]


def test_nothing_of_it_waits_for_review(talk: Talk, north: Any):
    talk.settings(review=True)
    talk.distilled(Plain(facts=fact(WORD, "prefers", fragment="f0.0", review=True)))
    with entered(north):
        assert (Proposal.objects.count(), Fact.objects.count()) == (0, 1)
    assert tables_with(north, WORD) == set()


def test_it_shares_no_batch_with_another_session(talk: Talk):
    talk.say("The well is deep", client="plain")
    talk.distilled()
    assert sorted(len(lines) for lines in talk.distiller.given) == [1, 2]
    assert "The well is deep" in talk.texts()


def test_no_model_sees_it_unless_the_space_says_so(talk: Talk):
    model = Plain(name="llm")
    session = talk.rows("select id from session")[0][0]
    assert talk.distilled(model).state == "done"
    assert model.given == []
    talk.settings(phi_to_model=True)
    talk.distilled(model, session=session, again=True)
    assert model.given == [SAID]


def test_undone_its_nodes_go_and_its_facts_are_withdrawn_sealed(talk: Talk, north: Any):
    run = talk.distilled()
    assert talk.undo(run) == {"proposals": 0, "facts": 1, "reinforced": 0, "memories": 1}
    assert nodes(talk) == []
    assert seat(north, purposes=["treatment"]).get("facts").json()["facts"] == []
    with entered(north):
        assert [found.sealed is not None for found in Fact.objects.all()] == [True, True]
    assert tables_with(north, WORD) == set()


def test_what_was_forgotten_of_it_stays_gone(talk: Talk, north: Any):
    talk.distilled()
    nurse = seat(north, purposes=["treatment"])
    assert nurse.post(f"memories/{nodes(talk)[0].pk}/forget", {}).status_code == 200
    session = talk.rows("select id from session")[0][0]
    assert "facts" not in talk.distilled(session=session, again=True).outcome
    assert nodes(talk) == []


def test_messages_to_workers_hold_ids_alone(talk: Talk, ward: Rest, monkeypatch: pytest.MonkeyPatch):
    sent: list[Any] = []
    monkeypatch.setattr(tasks.run_distillation, "apply_async", lambda ids, **named: sent.append(ids))
    answer = ward.post("distillations", {})
    assert answer.status_code == 202
    assert sent == [(str(talk.space.pk), answer.json()["id"])]


def test_runs_do_not_tell_of_a_session_that_is_withheld(talk: Talk, ward: Rest, north: Any):
    session = str(talk.rows("select id from session")[0][0])
    asked = ward.post("distillations", {"session": session}).json()["id"]
    talk.work(asked)
    nurse, clerk = seat(north, purposes=["treatment"]), seat(north, purposes=["billing"])
    shown = nurse.get(f"distillations/{asked}").json()
    assert (shown["session"], shown["ranges"]) == (session, [{"session": session, "from": 0, "to": 1}])
    hidden = clerk.get(f"distillations/{asked}").json()
    assert (hidden["session"], hidden["ranges"]) == (None, [])
    assert session.encode() not in clerk.get("distillations").content
    nowhere = "6f1d9c1e-0000-4000-8000-000000000000"
    refused, missing = (clerk.post("distillations", {"session": one}) for one in (session, nowhere))
    assert (refused.status_code, refused.json()) == (404, missing.json())
