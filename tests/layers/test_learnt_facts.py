"""Facts that a distillation learns: with their lines as source, once, and not again after somebody withdrew them."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from common.times import now
from memory.facts.models import Fact
from memory.layers.models import Proposal
from spaces.databases.entering import entered
from tests.layers.told import SPOKEN, Plain, Talk, fact
from tests.rest.client import Rest

PORTO = Plain(facts=fact("Porto"))


@pytest.fixture
def talk(north: Any) -> Talk:
    return Talk(north)


def objects(rest: Rest) -> list[Any]:
    return sorted(found["object"] for found in rest.listed(predicate="lives_in"))


def links(talk: Talk) -> list[tuple[str, str]]:
    """Which fragment says which fact."""
    return talk.rows(
        "select n.text, f.object::text from node_fact l join node n on n.id = l.node join fact f on f.id = l.fact"
        " order by l.id"
    )


def test_a_fact_names_its_lines_and_when_it_was_said(talk: Talk, rest: Rest):
    session = talk.say("hello there", "I live in Porto now")
    run = talk.distilled(PORTO)
    (found,) = rest.listed()
    assert found["source"] == f"session://{session.pk}#L1-L1"
    assert (found["subject"], found["predicate"], found["object"]) == ("person:ana", "lives_in", "Porto")
    assert found["observedAt"] == "2026-03-02T09:00:00Z"
    assert run.outcome["facts"] == 1
    assert links(talk) == [("I live in Porto now", '"Porto"')]


def test_what_is_known_is_not_written_again_but_linked_to_who_says_it_again(talk: Talk, rest: Rest):
    talk.say("I live in Porto now", client="a")
    talk.distilled(PORTO)
    talk.say("Porto is where my flat is", client="b")
    assert "facts" not in talk.distilled(PORTO).outcome
    assert objects(rest) == ["Porto"]
    assert [text for text, _ in links(talk)] == ["I live in Porto now", "Porto is where my flat is"]


def test_what_a_person_wrote_is_known_too(talk: Talk, rest: Rest):
    rest.written(subject="person:ana", predicate="lives_in", object="Porto")
    talk.say("I live in Porto now")
    assert "facts" not in talk.distilled(PORTO).outcome
    assert len(rest.listed()) == 1


def test_values_that_contradict_each_other_are_both_kept(talk: Talk, rest: Rest):
    talk.say("I live in Porto now", client="a")
    talk.distilled(PORTO)
    talk.say("I live in Braga now", client="b")
    talk.distilled(Plain(facts=fact("Braga")))
    assert objects(rest) == ["Braga", "Porto"]


def test_likes_do_not_contradict_each_other(talk: Talk, rest: Rest):
    talk.say("I like tea", "I like honey")
    talk.distilled(Plain(facts=lambda all: [*fact("tea", "likes")(all), *fact("honey", "likes")(all)]))
    assert rest.get("contradictions").json()["conflicts"] == []


def test_what_was_superseded_stays_gone_when_the_same_lines_are_distilled_again(talk: Talk, rest: Rest):
    session = talk.say("I live in Porto now")
    talk.distilled(PORTO)
    old = rest.listed()[0]["@id"]
    rest.post(f"facts/{old}/supersede", {"statement": "she moved", "confidence": 0.9, "source": "human://ana"})
    talk.distilled(PORTO, session=session.pk, again=True)
    assert [found["statement"] for found in rest.listed()] == ["she moved"]


def test_what_was_withdrawn_comes_back_when_it_is_said_again_later(talk: Talk, rest: Rest):
    talk.say("I live in Porto now", client="a")
    run = talk.distilled(PORTO)
    talk.undo(run)
    assert rest.listed() == []
    talk.say("I live in Porto now", client="b", at=SPOKEN)
    talk.distilled(PORTO)
    assert rest.listed() == []
    later = now() + timedelta(minutes=1)
    with time_machine.travel(later):
        talk.say("I am back in Porto for good", client="c", at=later)
        talk.distilled(PORTO)
    with entered(talk.space):
        assert Fact.objects.filter(valid_until=None).count() == 2


def test_of_a_batch_that_says_it_twice_there_is_one(talk: Talk, rest: Rest):
    talk.say("I live in Porto now", "Porto is where my flat is")

    def both(fragments: Any) -> Any:
        return [*fact("Porto", fragment=fragments[0].key)(fragments), *fact("Porto")(fragments)]

    talk.distilled(Plain(facts=both))
    assert objects(rest) == ["Porto"]
    assert len(links(talk)) == 2


def test_the_distillers_confidence_is_capped(talk: Talk, rest: Rest):
    talk.say("I live in Porto now")
    talk.distilled(Plain(facts=fact("Porto", confidence=1.0)))
    assert rest.listed()[0]["confidence"] == 0.95


def test_a_slip_of_the_distiller_is_no_fact_and_the_rest_is_kept(talk: Talk, rest: Rest):
    talk.say("I live in Porto now")

    def slips(fragments: Any) -> Any:
        return [
            *fact("Porto", decay="whenever")(fragments),
            *fact("Porto", fragment="nowhere")(fragments),
            *fact("Porto", valid_until=SPOKEN, valid_from=SPOKEN + timedelta(days=1))(fragments),
            *fact("Braga")(fragments),
        ]

    talk.distilled(Plain(facts=slips))
    assert objects(rest) == ["Braga"]


def test_what_a_distiller_is_unsure_of_waits_and_its_fragment_does_not(talk: Talk, rest: Rest, north: Any):
    talk.say("I might live in Porto by now")
    run = talk.distilled(Plain(facts=fact("Porto", review=True)))
    assert run.outcome == {"lines": 1, "fragments": 1, "for review": 1}
    assert rest.listed() == []
    (waiting,) = rest.get("proposals").json()["proposals"]
    answer = rest.post("proposals/decisions", {"ids": [waiting["id"]], "decision": "approve"})
    assert answer.json() == {"decided": 1}
    assert objects(rest) == ["Porto"]
    assert links(talk) == [("I might live in Porto by now", '"Porto"')]
    with entered(north):
        assert Proposal.objects.get().node == talk.node("I might live in Porto by now").pk
