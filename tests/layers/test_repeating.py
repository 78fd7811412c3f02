"""What is said again makes a memory stronger instead of becoming another one: once for each session that says it."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from common.times import now
from memory.layers import committing, distilling, twins
from memory.layers.models import Node, NodeStrength, Reinforcement
from memory.layers.rules.duplicates import says_the_same
from spaces.databases.entering import entered
from tests.layers.told import Plain, Talk, episode, topic

TEA = "I drink green tea in the garden every morning"
TEA_AGAIN = "Every morning I drink green tea in the garden"
START = datetime(2026, 4, 1, 8, tzinfo=UTC)


@pytest.fixture
def talk(north: Any) -> Talk:
    return Talk(north)


def sources(talk: Talk, text: str) -> int:
    with entered(talk.space):
        return Node.objects.get(text=text, layer=1).sources.count()


def test_score_tau_and_sources_grow_by_the_formulas_and_the_text_stays(talk: Talk):
    with time_machine.travel(START, tick=False):
        talk.say(TEA, client="a")
        talk.distilled()
    later = START + timedelta(days=7)
    with time_machine.travel(later, tick=False):
        talk.say(TEA_AGAIN, client="b")
        run = talk.distilled()
    faded = math.exp(-7 / 14)
    found = talk.strength(TEA)
    assert talk.texts() == [TEA]
    assert found.score == pytest.approx(faded + 0.1 * (1 - faded), abs=1e-12)
    assert (found.tau, found.scored_at) == (21, later)
    assert sources(talk, TEA) == 2
    assert run.outcome == {"lines": 1, "reinforced": 1}
    with entered(talk.space):
        row = Reinforcement.objects.get(kind="duplicate")
        assert (row.at, row.score, row.tau) == (later, found.score, 21)


def test_once_for_each_session(talk: Talk):
    talk.say(TEA, client="a")
    talk.distilled()
    talk.say(TEA_AGAIN, client="a")
    talk.say(TEA, TEA_AGAIN, client="b")
    talk.say(TEA_AGAIN, client="c")
    talk.distilled()
    assert talk.texts() == [TEA]
    assert (talk.strength(TEA).tau, sources(talk, TEA)) == (28, 3)


def test_sessions_of_one_batch_count_as_sessions_of_several_do(talk: Talk):
    for client in ("a", "b", "c"):
        talk.say(TEA, client=client)
    talk.distilled(Plain(events=episode))
    assert talk.texts() == [TEA]
    assert (talk.strength(TEA).tau, sources(talk, TEA)) == (28, 3)


def test_within_the_session_that_formed_it_a_repetition_changes_nothing(talk: Talk):
    talk.say(TEA, "The well is deep", TEA_AGAIN)
    talk.distilled(Plain(concepts=topic("mornings")))
    assert talk.texts() == [TEA, "The well is deep"]
    assert (talk.strength(TEA).tau, sources(talk, TEA)) == (14, 1)
    assert talk.rows("select count(*) from link where predicate = 'mentions'") == [(2,)]


def test_an_event_that_is_met_again_is_nudged_and_keeps_its_tau(talk: Talk):
    with time_machine.travel(START, tick=False):
        talk.say(TEA, client="a")
        talk.distilled(Plain(events=episode))
    with time_machine.travel(START + timedelta(days=9), tick=False):
        talk.say(TEA, client="b")
        talk.distilled(Plain(events=episode))
    with entered(talk.space):
        found = NodeStrength.objects.get(layer=2)
    faded = math.exp(-9 / 45)
    assert found.score == pytest.approx(faded + 0.1 * (1 - faded), abs=1e-12)
    assert (found.tau, found.scored_at) == (45, START + timedelta(days=9))


def test_a_concept_that_is_met_again_stays_as_it_is(talk: Talk):
    talk.say(TEA, client="a")
    talk.distilled(Plain(concepts=topic("green tea")))
    before = talk.dump("node")["node"]
    talk.say("There is no more of it", client="b")
    talk.distilled(Plain(concepts=topic("green tea")))
    with entered(talk.space):
        found = NodeStrength.objects.get(layer=3)
        assert (found.score, found.tau) == (1, math.inf)
    assert len(talk.texts(3)) == 1
    assert set(before) < set(talk.dump("node")["node"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We paid 20 for the new garden gate", "We paid 30 for the new garden gate"),
        ("I have two cats at home and one dog", "I have three cats at home and one dog"),
        ("I am allergic to peanuts and shellfish", "I am not allergic to peanuts and shellfish"),
        ("I don't want to move to the coast", "I want to move to the coast"),
        ("Ich esse gern Fisch am Abend", "Ich esse nicht gern Fisch am Abend"),
        ("Je mange de la viande tous les soirs", "Je ne mange pas de viande tous les soirs"),
        ("No como carne nunca los lunes", "Como carne los lunes"),
        ("We moved the demo to Monday afternoon", "We moved the demo to Tuesday afternoon"),
        ("My cousin Clara looks after the hives", "My cousin Elena looks after the hives"),
        ("The hives are healthy this spring", "Are the hives healthy this spring?"),
        ("会议在三点开始", "会议在四点开始"),
        ("他今天来", "他今天不来"),
    ],
)
def test_numbers_negations_names_and_questions_tell_texts_apart(one: str, other: str):
    assert not says_the_same(one, other)
    assert not says_the_same(other, one)
    assert says_the_same(one, one)
    assert says_the_same(other, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TEA, TEA_AGAIN),
        ("So we moved the demo to Monday", "We moved the demo to Monday"),
        ("I want to see the different rooms", "I'd like to see the different rooms"),
    ],
)
def test_other_words_for_the_same_do_not(one: str, other: str):
    assert says_the_same(one, other)


def test_very_long_texts_are_compared_in_no_time():
    for text in ("a-" * 50_000, "1." * 50_000, "n't" * 30_000, "不" * 50_000, "Ab" * 50_000):
        assert says_the_same(text, text)


@pytest.mark.parametrize("other", ["I paid 30 for the lamp in the hall", "I have not paid 20 for the lamp in the hall"])
def test_what_differs_becomes_a_memory_of_its_own(talk: Talk, other: str):
    talk.say("I paid 20 for the lamp in the hall", client="a")
    talk.distilled()
    talk.say(other, client="b")
    talk.distilled()
    assert len(talk.texts()) == 2


def test_another_speaker_says_something_else(talk: Talk):
    talk.say(TEA, client="a")
    talk.say(TEA, client="b", speaker="Bo")
    talk.distilled()
    assert len(talk.texts()) == 2


def test_what_is_more_guarded_is_not_merged_with_what_is_less(talk: Talk):
    session = talk.say(TEA, client="a")
    talk.rows("update session set classification = 'PII' where id = %(id)s returning 1", id=session.pk)
    talk.distilled()
    talk.say(TEA, client="b")
    talk.distilled()
    assert talk.rows("select classification from node order by id") == [("PII",), (None,)]


@pytest.mark.parametrize("fate", ["archived", "forgotten", "merged", "corrected"])
def test_a_twin_that_goes_before_the_commit_is_none(talk: Talk, monkeypatch: pytest.MonkeyPatch, fate: str):
    talk.say(TEA, client="a")
    talk.distilled()
    twin = talk.node(TEA).pk
    real = committing.commit_batch

    def late(*given: Any) -> Any:
        with entered(talk.space):
            if fate == "archived":
                NodeStrength.objects.filter(pk=twin).update(archived_at=now())
            elif fate == "forgotten":
                Node.objects.filter(pk=twin).delete()
            else:
                Node.objects.filter(pk=twin).update(**{"merged": {"merged_into": 1}}.get(fate, {"superseded_by": 1}))
        return real(*given)

    monkeypatch.setattr(distilling, "commit_batch", late)
    talk.say(TEA_AGAIN, client="b")
    talk.distilled()
    assert talk.texts()[-1] == TEA_AGAIN


def test_what_is_archived_is_not_reinforced(talk: Talk):
    talk.say(TEA, client="a")
    talk.distilled()
    talk.rows("update node_strength set archived_at = now() returning 1")
    talk.say(TEA, client="b")
    talk.distilled()
    assert len(talk.texts()) == 2


def test_a_concept_that_was_merged_is_met_in_the_one_that_stayed(talk: Talk):
    talk.say(TEA, client="a")
    talk.distilled(Plain(concepts=topic("green tea")))
    talk.distilled(Plain(concepts=topic("sencha")), session=talk.say("Sencha, that is", client="a").pk)
    talk.rows(
        "update node set merged_into = (select id from node where name = 'green tea') where name = 'sencha' returning 1"
    )
    talk.say("The shop has a new harvest of sencha", client="c")
    talk.distilled(Plain(concepts=topic("sencha")))
    mentioned = talk.rows(
        "select o.name from link join node s on s.id = subject join node o on o.id = object"
        " where predicate = 'mentions' and s.text = 'The shop has a new harvest of sencha'"
    )
    assert mentioned == [("green tea",)]


@pytest.mark.parametrize("kept", [0, 12_800_000])
def test_it_is_found_among_many_in_memory_or_not(talk: Talk, monkeypatch: pytest.MonkeyPatch, kept: int):
    monkeypatch.setattr(twins, "MOST_KEPT", kept)
    talk.say(*[f"The {word} stands beside the {word} house" for word in ("pump", "barn", "gate", "oven")], TEA)
    talk.distilled()
    talk.say(TEA_AGAIN, client="b")
    assert talk.distilled().outcome["reinforced"] == 1
