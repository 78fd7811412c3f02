"""Merging memories that say the same, and undoing it."""

import pytest

from common.errors import KndlError
from common.times import now
from memory.layers.governing.forgetting import forget
from memory.layers.merging import MergeInput, merge, standing_for
from memory.layers.models import Link, Node, NodeFact, NodeSource
from memory.layers.reinforcing import recall_fragments
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import attempted
from tests.layers.at_once import together
from tests.layers.remembered import Remembered, days
from tests.layers.test_governing_standing import done


@pytest.fixture
def twice(remembered, north):
    session = remembered.session("I keep bees", "I have two hives of bees", client_id="bees")
    one = remembered.fragment("I keep bees", (session, 0, 0), score=0.5)
    two = remembered.fragment("I have two hives of bees", (session, 1, 1), score=0.8, at=now() - days(1))
    event = remembered.event("Bees", "About bees", [one], (session, 0, 1))
    topic = remembered.concept("Bees", [two])
    remembered.link((one, "next", two))
    with entered(north):
        NodeFact.objects.create(node_id=one, scope=north.scopes.get().pk, fact="fact:bees")
    return {"one": one, "two": two, "event": event, "topic": topic}


def state(space):
    """Everything a merge touches, without the history that says that it was."""
    with entered(space):
        links = sorted(Link.objects.values_list("subject", "predicate", "object"))
        sources = sorted(NodeSource.objects.values_list("node", "first", "last"))
        facts = sorted(NodeFact.objects.values_list("node", "fact"))
        nodes = list(Node.objects.order_by("pk").values("pk", "name", "attributes", "metadata", "merged_into"))
        strengths = Node.objects.order_by("pk").values_list(
            "strength__score", "strength__tau", "strength__pinned", "strength__scored_at", "strength__archived_at"
        )
        return links, sources, facts, nodes, list(strengths)


def test_the_strongest_stays_and_takes_over_what_the_other_had(rest, twice, remembered, north):
    merged = done(rest, "memories/merge", {"ids": [twice["one"], twice["two"]]})
    assert (merged["into"]["id"], merged["merged"]) == (twice["two"], [twice["one"]])
    assert [(source["from"], source["to"]) for source in merged["into"]["sources"]] == [(1, 1), (0, 0)]
    assert merged["into"]["strength"]["effective"] == pytest.approx(0.745, abs=1e-3)
    shown = rest.get(f"memories/{twice['one']}").json()
    assert shown["merged_into"] == twice["two"]
    assert shown["archived_at"] is not None
    assert (remembered.is_indexed(twice["one"]), remembered.is_indexed(twice["two"])) == (False, True)
    with entered(north):
        links = set(Link.objects.filter(subject=twice["two"]).values_list("predicate", "object"))
        assert links == {("part_of", twice["event"]), ("mentions", twice["topic"])}
        assert NodeFact.objects.get(node=twice["two"]).fact == "fact:bees"
        assert standing_for([twice["one"], twice["two"]]) == {twice["one"]: twice["two"], twice["two"]: twice["two"]}


@pytest.mark.parametrize("undone_by", ["one", "two"])
def test_undoing_a_merge_leaves_everything_as_it_was(rest, twice, remembered, north, undone_by):
    before = state(north)
    done(rest, "memories/merge", {"ids": [twice["one"], twice["two"]]})
    assert state(north) != before
    done(rest, f"memories/{twice[undone_by]}/unmerge")
    assert state(north) == before
    assert remembered.is_indexed(twice["one"])
    assert done(rest, f"memories/{twice['two']}/unmerge", status=409)["code"] == "not_merged"


def test_strength_gained_since_a_merge_is_kept_when_it_is_undone(rest, twice, remembered, north):
    done(rest, "memories/merge", {"ids": [twice["one"], twice["two"]]})
    with entered(north):
        recall_fragments(north.scopes.get().pk, [twice["two"]], now(), base_tau=14.0, actor="seat:1")
    gained = remembered.strength(twice["two"])
    done(rest, f"memories/{twice['one']}/unmerge")
    kept = remembered.strength(twice["two"])
    assert (kept.score, kept.tau, kept.scored_at) == (gained.score, 21.0, gained.scored_at)


def test_a_preview_says_which_would_stay_and_changes_nothing(rest, twice, north):
    before = state(north)
    told = done(rest, "memories/merge", {"ids": [twice["one"], twice["two"]], "preview": True})
    assert (told["preview"], told["into"]["id"], told["merged"]) == (True, twice["two"], [twice["one"]])
    assert state(north) == before
    made = done(rest, "memories/merge", {"ids": [twice["one"], twice["two"]]})
    assert made["into"]["strength"]["effective"] == pytest.approx(told["into"]["strength"]["effective"], abs=1e-3)


def test_a_person_chooses_which_stays(rest, twice):
    assert (
        done(rest, "memories/merge", {"ids": [twice["one"], twice["two"]], "into": twice["one"]})["into"]["id"]
        == (twice["one"])
    )


def test_concepts_that_are_merged_keep_all_their_names_until_it_is_undone(rest, remembered, north):
    kate = remembered.concept("Kate", [], type="Person")
    katherine = remembered.concept("Katherine", [], type="Person", attributes={"aliases": ["Kit", "Kate"]})
    done(rest, "memories/merge", {"ids": [kate, katherine], "into": kate})
    with entered(north):
        assert Node.objects.get(pk=kate).attributes["aliases"] == ["Katherine", "Kit"]
    done(rest, f"memories/{kate}/unmerge")
    with entered(north):
        assert Node.objects.get(pk=kate).attributes["aliases"] == []


def test_a_merge_of_what_is_not_there_is_not_undone(rest):
    assert done(rest, "memories/987654/unmerge", status=404)["detail"] == "There is no such memory."


@pytest.mark.parametrize(
    ("names", "more", "status", "field"),
    [
        (("one", "one"), {}, 400, "ids"),
        (("one", "two"), {"into": 987654}, 400, "into"),
        (("one", "event"), {}, 422, "ids"),
        (("one", None), {}, 404, None),
    ],
)
def test_what_cannot_be_merged_is_refused(rest, twice, north, names, more, status, field):
    before = state(north)
    ids = [twice.get(name, 987654) for name in names]
    for preview in (True, False):
        answer = rest.post("memories/merge", {"ids": ids, "preview": preview} | more)
        assert answer.status_code == status
        assert [error["field"] for error in answer.json().get("errors", [])] == ([field] if field else [])
    assert state(north) == before


def test_memories_of_two_classes_are_never_merged(rest, remembered):
    plain = remembered.fragment("I keep bees")
    guarded = remembered.fragment("I keep bees", classification="PII")
    assert rest.post("memories/merge", {"ids": [plain, guarded]}).status_code == 422


def test_what_was_merged_or_archived_is_not_merged_again(rest, twice, remembered):
    third = remembered.fragment("There are bees")
    done(rest, "memories/merge", {"ids": [twice["one"], twice["two"]]})
    assert done(rest, "memories/merge", {"ids": [twice["one"], third]}, status=409)["code"] == "merged"
    done(rest, f"memories/{third}/archive")
    assert rest.post("memories/merge", {"ids": [twice["two"], third]}).status_code == 422


def test_what_went_into_a_memory_is_forgotten_with_it(rest, twice, remembered):
    done(rest, "memories/merge", {"ids": [twice["one"], twice["two"]]})
    told = done(rest, f"memories/{twice['two']}/forget", {"preview": True})
    assert (told["count"], told["replaced_by_them"]) == (1, 1)
    done(rest, f"memories/{twice['two']}/forget", {})
    assert (remembered.is_there(twice["one"]), remembered.is_there(twice["two"])) == (False, False)


def test_a_merge_and_a_forgetting_at_once_leave_no_half(committed_db, new_space):
    space = new_space("north")
    remembered = Remembered(space, space.scopes.get().pk)
    one, two = remembered.fragment("I keep bees"), remembered.fragment("I have bees", score=0.5)
    binding = Binding(space, SYSTEM_CALLER, (space.scopes.get(),))

    def merging():
        with entered(space):
            return attempted(lambda act: merge(act, binding, MergeInput(ids=[one, two]), now()))

    def forgetting():
        with entered(space):
            return attempted(lambda act: forget(act, binding, [two], now()))

    outcomes = together(merging, forgetting)
    assert sum(isinstance(outcome, KndlError) for outcome in outcomes) <= 1
    assert not remembered.is_there(two)
    with entered(space):
        assert list(Node.objects.values_list("pk", "merged_into")) == [(one, None)]
        assert not Link.objects.filter(subject=two).exists()
