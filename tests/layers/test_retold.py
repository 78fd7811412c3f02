"""What was forgotten and is told again comes back in no layer, and not as a recent line."""

from dataclasses import replace
from typing import Any

import pytest

from memory.layers.distilling import distil
from memory.layers.models import Proposal
from memory.layers.rules.proposals import EventProposal, Known, Proposals
from spaces.databases.entering import entered
from tests.layers.test_governing_standing import done
from tests.layers.told import SPOKEN, Plain, Talk, episode, topic
from tests.recall.conftest import asked, texts
from tests.rest.client import Rest

SECRET = "Ada: The amber violin belongs to Crispin Vale and lies in the attic chest."
AGAIN = "“The amber violin belongs to Crispin Vale, and lies in the attic chest!”"
OTHERS = (
    "Crispin Vale is the owner of an old violin made of amber",
    "We looked through the telescope with Baltasar until the clouds came",
    "Baltasar wants the barometer repaired before the winter",
)


class Reworded(Plain):
    """A model that words fragments anew, and tells in its event all that it was given."""

    def distil(self, lines: Any, known: Known) -> Proposals:
        given = super().distil(lines, known)
        whole = " ".join(line.text for line in lines)
        event = EventProposal("e1", SECRET, whole, "episode", SPOKEN, SPOKEN, [item.key for item in given.fragments])
        return replace(given, events=[event])


class Knowing(Reworded):
    """A model that says again what it was not given."""

    def distil(self, lines: Any, known: Known) -> Proposals:
        given = super().distil(lines, known)
        more = replace(given.fragments[-1], key="more", text=SECRET)
        event = replace(
            given.events[0], title="A talk", text="Of an attic", fragments=[*given.events[0].fragments, "more"]
        )
        return replace(given, fragments=[*given.fragments, more], events=[event])


@pytest.fixture
def talk(north: Any, rest: Rest) -> Talk:
    talk = Talk(north)
    talk.say(SECRET, client="first", speaker="Ada")
    talk.distilled(Plain())
    done(rest, f"memories/{talk.node(SECRET).pk}/forget", {})
    talk.say(AGAIN, *OTHERS, client="second", speaker="Ada")
    return talk


def everything(talk: Talk) -> str:
    return repr([talk.texts(layer) for layer in (1, 2, 3)] + [talk.dump("node")]).lower()


def test_the_built_in_distiller_makes_no_event_of_it(talk: Talk):
    run = talk.ask()
    with entered(talk.space):
        assert distil(run.pk)
    assert talk.texts(1) == list(OTHERS)
    assert len(talk.texts(2)) == 1
    assert "attic" not in everything(talk)


@pytest.mark.parametrize("distiller", [Plain(events=episode, concepts=topic("violins")), Reworded()])
def test_no_distiller_hears_it_and_a_title_that_says_it_is_made_anew(talk: Talk, distiller: Plain):
    talk.distilled(distiller)
    assert distiller.given == [list(OTHERS)]
    assert len(talk.texts(2)) == 1
    assert "attic" not in everything(talk)


def test_an_event_over_a_fragment_that_is_blocked_is_told_by_the_others(talk: Talk):
    talk.distilled(Knowing())
    assert talk.texts(1) == list(OTHERS)
    assert talk.texts(2) == [" ".join(OTHERS)]
    assert "attic" not in everything(talk)


def test_nothing_of_it_waits_for_review(talk: Talk):
    talk.settings(review=True)
    talk.distilled(Reworded())
    with entered(talk.space):
        bodies = repr(list(Proposal.objects.values_list("body", flat=True))).lower()
    assert "telescope" in bodies
    assert "attic" not in bodies


def test_what_is_told_again_is_no_recent_line_and_what_stands_beside_it_is(talk: Talk, rest: Rest):
    talk.say(f"It rained. {AGAIN} The violin has a crack.", client="third", speaker="Bo")
    found = texts(asked(rest, "where is the amber violin?"))
    assert OTHERS[0] in found
    assert "It rained. The violin has a crack." in [" ".join(text.split()) for text in found]
    assert "attic" not in repr(found)
