"""Pinning, archiving, restoring: over REST, one by one and in bulk."""

import pytest

from audit.models import AuditRow
from common.times import now
from memory.layers.models import Reinforcement, ScopeStat
from memory.layers.reinforcing import recall_fragments
from spaces.databases.entering import entered
from tests.layers.remembered import days


def done(rest, path, body=None, status=200, **headers):
    answer = rest.post(path, body, **headers)
    assert answer.status_code == status, answer.content
    return answer.json()


def acts(space, act):
    with entered(space) as here:
        return AuditRow.objects.using(here.alias).filter(act=act).count()


def test_a_pinned_memory_stands_still_and_recall_still_lengthens_its_tau(rest, remembered, north):
    node = remembered.fragment("The well is behind the barn", at=now() - days(14))
    shown = done(rest, f"memories/{node}/pin")["strength"]
    assert shown["pinned"] is True
    assert shown["effective"] == pytest.approx(0.3679, abs=1e-3)
    assert shown["fades_at"] is None
    with entered(north):
        recall_fragments(north.scopes.get().pk, [node], now(), base_tau=14.0, actor="seat:1")
    row = remembered.strength(node)
    assert (row.pinned, row.tau) == (True, 21.0)
    assert row.score == pytest.approx(shown["effective"])


def test_an_unpinned_memory_fades_from_its_present_strength_on(rest, remembered):
    node = remembered.fragment("The well is behind the barn", at=now() - days(14))
    done(rest, f"memories/{node}/pin")
    before = now()
    shown = done(rest, f"memories/{node}/unpin")["strength"]
    assert shown["pinned"] is False
    assert shown["effective"] == pytest.approx(0.3679, abs=1e-3)
    assert remembered.strength(node).scored_at >= before


def test_an_archived_memory_is_out_of_the_index_and_comes_back_strong_enough_to_stay(rest, remembered, north):
    node = remembered.fragment("The well is behind the barn", score=0.06)
    other = remembered.fragment("The barn is red")
    assert done(rest, f"memories/{node}/archive")["archived_at"] is not None
    assert (remembered.is_indexed(node), remembered.is_indexed(other)) == (False, True)
    assert [memory["id"] for memory in rest.get("memories").json()["memories"]] == [other]
    assert [memory["id"] for memory in rest.get("memories", archived="only").json()["memories"]] == [node]
    shown = done(rest, f"memories/{node}/restore")
    assert (shown["archived_at"], shown["strength"]["score"]) == (None, 0.5)
    assert remembered.is_indexed(node)
    with entered(north):
        assert ScopeStat.objects.get().rows == 2
        kinds = Reinforcement.objects.filter(node=node).order_by("pk").values_list("kind", flat=True)
        assert list(kinds) == ["formed", "archived", "restored"]


@pytest.mark.parametrize("verb", ["pin", "unpin", "archive", "restore"])
def test_an_act_done_twice_changes_nothing_more(rest, remembered, verb):
    node = remembered.fragment("The well is behind the barn")
    first = done(rest, f"memories/{node}/{verb}")
    row = remembered.strength(node)
    second = done(rest, f"memories/{node}/{verb}")
    after = remembered.strength(node)
    assert (row.score, row.scored_at, row.archived_at, row.pinned) == (
        after.score,
        after.scored_at,
        after.archived_at,
        after.pinned,
    )
    assert first["archived_at"] == second["archived_at"]


def test_a_repeated_request_is_answered_again(rest, remembered, north):
    node = remembered.fragment("The well is behind the barn")
    first = done(rest, f"memories/{node}/archive", Idempotency_Key="one")
    done(rest, f"memories/{node}/restore")
    again = rest.post(f"memories/{node}/archive", None, Idempotency_Key="one")
    assert again["Idempotent-Replayed"] == "true"
    assert first["archived_at"] is not None
    assert remembered.strength(node).archived_at is None
    assert acts(north, "memory.archive") == 1


def test_what_is_archived_cannot_be_pinned(rest, remembered):
    node = remembered.fragment("The well is behind the barn")
    done(rest, f"memories/{node}/archive")
    assert done(rest, f"memories/{node}/pin", status=409)["code"] == "archived"


def test_several_at_once_or_none(rest, remembered):
    nodes = [remembered.fragment(f"Note {number} on the barn") for number in range(3)]
    assert done(rest, "memories/bulk", {"ids": nodes, "act": "archive"}) == {"act": "archive", "ids": nodes}
    assert [remembered.is_indexed(node) for node in nodes] == [False] * 3
    assert done(rest, "memories/bulk", {"ids": [*nodes, 987654], "act": "restore"}, status=404)
    assert [remembered.is_indexed(node) for node in nodes] == [False] * 3
    done(rest, "memories/bulk", {"ids": nodes, "act": "restore"})
    assert [remembered.is_indexed(node) for node in nodes] == [True] * 3


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("memories/bulk", {"ids": [], "act": "pin"}, "ids"),
        ("memories/bulk", {"ids": ["1"], "act": "pin"}, "ids.0"),
        ("memories/bulk", {"ids": [1], "act": "burn"}, "act"),
        ("memories/bulk", {"act": "pin"}, "ids"),
        ("memories/forget", {}, "ids"),
        ("memories/forget", {"session": "x", "preview": True}, "session"),
        ("memories/forget", {"person": "Mina", "source": "api"}, "person"),
        ("memories/forget", {"person": " "}, "person"),
        ("memories/forget", {"person": "Mina", "preview": "yes"}, "preview"),
        ("memories/merge", {"ids": [1]}, "ids"),
        ("memories/merge", {"ids": [1, 2], "into": True}, "into"),
        ("memories/1/correct", {"text": ""}, "text"),
        ("memories/1/correct", {"text": "a\0b"}, "text"),
        ("memories/1/retype", {"type": "Planet"}, "type"),
        ("memories/1/forget", {"reason": 3}, "reason"),
    ],
)
def test_bad_input_names_its_field(rest, path, body, field):
    answer = rest.post(path, body)
    assert answer.status_code == 400, answer.content
    assert [error["field"] for error in answer.json()["errors"]] == [field]
