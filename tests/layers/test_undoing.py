"""A run that is undone leaves everything as it was before it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from common.errors import NotFound, Unprocessable
from memory.layers import distilling
from memory.layers.models import Distillation, Reinforcement
from memory.layers.parts import Room
from memory.layers.reinforcing import recall_fragments
from memory.layers.rules.proposals import DistillerRefused
from memory.layers.rules.strength import Strength, recalled
from spaces.databases.entering import entered
from tests.layers.told import TABLES, Plain, Talk, episode, fact, topic
from tests.rest.client import Rest

START = datetime(2026, 4, 1, 8, tzinfo=UTC)
EARLIER = ["Bo keeps bees behind the chapel", "I drink green tea in the garden every morning"]
LATER = [EARLIER[1], "The pump of the lower well was repaired", "I live in Porto now"]
STAT = "select rows, length, speakers::text from scope_stat"


def plug_in(name: str) -> Plain:
    return Plain(events=episode, concepts=topic(name), facts=fact("Porto"))


@pytest.fixture
def talk(north: Any) -> Talk:
    """A scope that remembers something."""
    talk = Talk(north)
    with time_machine.travel(START, tick=False):
        talk.say(*EARLIER, client="a")
        talk.distilled(Plain(events=episode, concepts=topic("bees")))
    return talk


def test_every_row_is_back_to_what_it_was(talk: Talk, rest: Rest):
    before, stat = talk.dump(*TABLES), talk.rows(STAT)
    with time_machine.travel(START + timedelta(days=3), tick=False):
        talk.say(*LATER, client="b", speaker="Ana")
        run = talk.distilled(plug_in("bees"))
    assert run.outcome["reinforced"] == 1
    assert talk.dump(*TABLES) != before
    gone = talk.undo(run)
    assert talk.dump(*TABLES) == before
    assert talk.rows(STAT) == stat
    assert gone == {"proposals": 0, "facts": 1, "reinforced": 1, "memories": 3}
    assert rest.listed() == []
    assert talk.found(run).undone_by == "system:kndl"


def test_the_first_run_of_a_scope_leaves_nothing(north: Any):
    talk = Talk(north)
    talk.say(*LATER)
    talk.undo(talk.distilled(plug_in("wells")))
    assert {name: rows for name, rows in talk.dump(*TABLES).items() if rows} == {}


def test_a_second_time_is_refused_and_so_is_one_under_way(talk: Talk):
    talk.say(*LATER, client="b")
    run = talk.ask()
    with pytest.raises(Unprocessable, match="not finished"):
        talk.undo(run)
    talk.work(run)
    talk.undo(run)
    with pytest.raises(Unprocessable, match="already"):
        talk.undo(run)
    with pytest.raises(NotFound):
        talk.undo(Distillation())


def test_recalls_since_count_as_if_it_had_not_been(talk: Talk):
    with time_machine.travel(START + timedelta(days=3), tick=False):
        talk.say(EARLIER[1], client="b")
        run = talk.distilled()
    at = START + timedelta(days=5)
    with entered(talk.space):
        recall_fragments(talk.scope.pk, [talk.node(EARLIER[1]).pk], at, base_tau=14, actor="seat:1")
    assert talk.strength(EARLIER[1]).tau == 28
    talk.undo(run)
    found, expected = talk.strength(EARLIER[1]), recalled(Strength(1.0, 14.0, START), at, base_tau=14)
    assert found.score == pytest.approx(expected.score)
    assert (found.tau, found.scored_at) == (21, at)
    with entered(talk.space):
        row = Reinforcement.objects.get(kind="recall")
        assert (row.score, row.tau) == (found.score, found.tau)


def test_what_another_session_says_as_well_stays_with_its_links(talk: Talk, rest: Rest):
    talk.say(LATER[2], client="b")
    run = talk.distilled(plug_in("Porto"))
    talk.say(LATER[2], client="c")
    talk.distilled(plug_in("Porto"))
    talk.undo(run)
    assert talk.texts() == [*EARLIER, LATER[2]]
    assert talk.texts(3) == ["bees", "Porto"]
    assert [found["object"] for found in rest.listed()] == ["Porto"]
    mentions = "select 1 from link join node on id = subject where predicate = 'mentions' and text = %(text)s"
    assert talk.rows(mentions.replace("on id", "on node.id"), text=LATER[2]) != []


def test_a_fact_that_a_person_superseded_stays_superseded(talk: Talk, rest: Rest):
    talk.say(LATER[2], client="b")
    run = talk.distilled(plug_in("Porto"))
    old = rest.listed()[0]["@id"]
    rest.post(f"facts/{old}/supersede", {"statement": "she moved", "confidence": 0.9, "source": "human://ana"})
    assert talk.undo(run)["facts"] == 0
    assert [found["statement"] for found in rest.listed()] == ["she moved"]


def test_its_lines_are_not_distilled_again_by_themselves_but_when_it_is_asked(talk: Talk, rest: Rest):
    session = talk.say(*LATER[1:], client="b")
    talk.undo(talk.distilled(plug_in("wells")))
    assert talk.distilled().outcome == {}
    talk.distilled(plug_in("wells"), session=session.pk, again=True)
    assert talk.texts() == [*EARLIER, *LATER[1:]]
    assert rest.listed() == [], "the fact was withdrawn after it was said"


def test_what_waits_for_review_is_refused(talk: Talk, rest: Rest):
    talk.settings(review=True)
    talk.say(*LATER[1:], client="b")
    run = talk.distilled()
    assert talk.undo(run)["proposals"] == 2
    assert rest.get("proposals").json()["proposals"] == []


def test_half_a_run_that_failed_is_undone_too(talk: Talk):
    def refuse(lines: Any) -> None:
        if lines[0].text == LATER[2]:
            raise DistillerRefused("no")

    before = talk.dump(*TABLES)
    talk.say(*LATER[:2], client="b")
    talk.say(LATER[2], client="c")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distilling, "USUAL", Room(2, 1_000_000))
        run = talk.ask()
        assert not talk.work(run, Plain(before=refuse))
    talk.undo(run)
    assert talk.dump(*TABLES) == before
    assert talk.found(run).next_try_at is None
