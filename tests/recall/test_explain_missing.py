"""Why a memory that somebody expected is not in the answer."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from common.times import format_instant, now
from tests.actors import Trio, make_scope
from tests.recall.conftest import asked
from tests.recall.memories import Memories
from tests.rest.client import Rest, seat
from tests.sessions.conftest import person

Ask = Callable[..., dict[str, Any]]


def why(rest: Rest, node: int, query: str = "Who fired the kiln?", **more: Any) -> dict[str, Any]:
    """What is said of one memory."""
    found = asked(rest, query, explain_missing=[str(node)], **more)["missing"]
    assert [entry["id"] for entry in found] == [str(node)]
    entry: dict[str, Any] = found[0]
    return entry


def test_one_that_is_in_the_answer_is_not_missing(memories: Memories, rest: Rest):
    node = memories.fragment("We fired the kiln")
    found = why(rest, node)
    assert (found["reason"], found["detail"]) == ("not_missing", "It is in the answer, at place 1.")
    assert found["explanation"]["terms"]["words"] == 1.0


def test_another_scopes_and_a_forgotten_one_look_alike_to_the_byte(memories: Memories, north: Any, rest: Rest):
    elsewhere = Memories(north, make_scope(north, "elsewhere").pk).fragment("We fired the kiln")
    gone = memories.fragment("We fired the kiln")
    answered = rest.post("memories/forget", {"ids": [gone]})
    assert answered.status_code == 200, answered.content
    never = 10**15
    bodies = []
    for node in (elsewhere, gone, never):
        answer = rest.post(
            "recall", {"query": "kiln", "reinforce": False, "explain_missing": [str(node)], "as_of": "2030-01-01"}
        )
        assert answer.json()["missing"][0]["reason"] == "not_here"
        bodies.append(answer.content.replace(f'"id":"{node}"'.encode(), b'"id":""'))
    assert len(set(bodies)) == 1


def test_one_that_is_cut_off_is_told_its_place_and_the_last_score(memories: Memories, rest: Rest):
    memories.fragments("We fired the kiln", "We fired the kiln, all of us")
    last = memories.fragment("Somebody saw a kiln in the museum")
    found = why(rest, last, limit=2)
    assert (found["reason"], found["place"]) == ("cut_off", 3)
    assert found["last_score"] > found["explanation"]["score"] > 0
    assert "place 3" in found["detail"]
    assert "faded" not in found["detail"]


def test_one_that_is_cut_off_because_it_has_faded_is_told_so(memories: Memories, rest: Rest):
    old = memories.fragment("We fired the kiln", at=now() - timedelta(days=40))
    memories.fragment("We fired the kiln, all of us")
    found = why(rest, old, limit=1)
    assert found["reason"] == "cut_off"
    assert "It has faded to 0.05" in found["detail"]


def test_archived(memories: Memories, rest: Rest):
    node = memories.fragment("We fired the kiln")
    memories.archive(node)
    found = why(rest, node)
    assert found["reason"] == "archived"
    assert "It can be restored." in found["detail"]


def test_archived_after_the_instant_that_was_asked_of(memories: Memories, rest: Rest):
    node = memories.fragment("We fired the kiln", at=now() - timedelta(days=9))
    memories.archive(node, now() - timedelta(days=1))
    found = why(rest, node, as_of=format_instant(now() - timedelta(days=5)))
    assert found["reason"] == "archived"
    assert "after that instant" in found["detail"]


def test_corrected(memories: Memories, rest: Rest):
    node = memories.fragment("We fired the kiln")
    answer = rest.post(f"memories/{node}/correct", {"text": "They fired the kiln"})
    assert answer.status_code == 201, answer.content
    found = why(rest, node)
    new = answer.json()["id"]
    assert (found["reason"], found["detail"]) == ("superseded", f"It was corrected: {new} stands in its place.")
    assert why(rest, int(new))["reason"] == "not_missing"


def test_merged(memories: Memories, rest: Rest):
    stays, goes = memories.fragments("We fired the kiln", "We have fired the kiln")
    answer = rest.post("memories/merge", {"ids": [stays, goes], "into": stays})
    assert answer.status_code == 200, answer.content
    found = why(rest, goes)
    assert (found["reason"], found["detail"]) == ("merged", f"It was merged into {stays}.")
    assert len(asked(rest, "Who fired the kiln?")["items"]) == 1


def test_not_formed_by_then(memories: Memories, rest: Rest):
    node = memories.fragment("We fired the kiln", at=now() - timedelta(days=1))
    assert why(rest, node, as_of=format_instant(now() - timedelta(days=5)))["reason"] == "not_formed_yet"


def test_said_later(memories: Memories, rest: Rest):
    said = now() - timedelta(days=1)
    node = memories.fragment("We fired the kiln", said_at=said)
    found = why(rest, node, before=format_instant(said))
    assert (found["reason"], format_instant(said) in found["detail"]) == ("said_later", True)
    assert why(rest, node, before=format_instant(said + timedelta(microseconds=1)))["reason"] == "not_missing"


def test_not_found_tells_the_cosine_the_words_and_the_strength(memories: Memories, rest: Rest):
    memories.fragments(*(f"We fired the kiln on day {number}" for number in range(1, 16)))
    node = memories.fragment("Supper was soup with bread")
    found = why(rest, node)
    assert (found["reason"], found["terms"]) == ("not_found", [])
    assert -1 <= found["cosine"] < 1
    assert found["strength"] == pytest.approx(1.0, abs=1e-3)
    assert "It holds none of the question's words." in found["detail"]
    assert f"Its cosine is {found['cosine']:.3f}; the last of the 10 nearest has" in found["detail"]


def test_not_found_among_a_hundred_that_hold_more_of_the_words(memories: Memories, rest: Rest):
    memories.fragments(*(f"We fired the kiln with oak {number}" for number in range(105)))
    padding = "and the harbour and the ferry and the letters and the sofa and the lamp " * 6
    node = memories.fragment(f"{padding} kiln")
    found = why(rest, node)
    assert (found["reason"], found["terms"]) == ("not_found", ["kiln"])
    assert "It holds kiln, and 100 memories hold more" in found["detail"]


def test_each_id_is_answered_in_the_order_of_asking_even_twice(memories: Memories, rest: Rest):
    one, other = memories.fragments("We fired the kiln", "Supper was soup")
    ids = [str(other), str(10**15), str(one), str(one)]
    assert [entry["id"] for entry in asked(rest, "kiln", explain_missing=ids)["missing"]] == ids


def test_it_works_in_the_plain_order_too(memories: Memories, rest: Rest):
    one, other = memories.fragments("We fired the kiln", "A kiln")
    reasons = {why(rest, node, "kiln", ranking="plain", limit=1)["reason"] for node in (one, other)}
    assert reasons == {"not_missing", "cut_off"}


def test_withheld_is_told_to_those_who_govern_and_to_nobody_else(trio: Trio):
    shared = trio.space.scopes.get(owner=None)
    memories = Memories(trio.space, shared.pk)
    node = memories.write(memories.node(1, "", phi_ref="fact:phi-1", classification="PHI"))[0]
    told = why(person(trio, "owner"), node, scope="shared")
    assert (told["reason"], "no consent covers" in told["detail"]) == ("withheld", True)
    for other in (person(trio, "teammate"), seat(trio.space)):
        assert why(other, node, scope="shared")["reason"] == "not_here"
