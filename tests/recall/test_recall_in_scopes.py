"""Which scopes a question reaches, for a seat and for a person."""

from typing import Any

import pytest

from memory.embedding.wordllama import WordllamaEmbedder
from tests.actors import Trio, make_scope
from tests.recall.conftest import asked, node_ids
from tests.recall.memories import Memories
from tests.rest.client import Rest, seat
from tests.sessions.conftest import person

CROSSING = ("memory:read", "cross_tenant")


@pytest.fixture
def scopes(north: Any) -> dict[str, Memories]:
    """The shared scope, two others, and a memory of the same words in each."""
    made = {name: Memories(north, make_scope(north, name).pk) for name in ("mine", "other")}
    made["shared"] = Memories(north, north.scopes.get(name="shared").pk)
    for name, memories in made.items():
        memories.fragments(f"The kiln of {name} is hot", "A walk by the lake")
    return made


def reader(north: Any, **more: Any) -> Rest:
    return seat(north, scope=north.scopes.get(name="mine"), **more)


def kilns(rest: Rest, scope: str | None = None) -> set[tuple[str, str]]:
    items = asked(rest, "kiln", scope=scope)["items"]
    assert all(item["shared"] == (item["scope"] in {"shared", "mine", "other"}) for item in items)
    return {(item["scope"], item["text"]) for item in items if "kiln" in item["text"]}


def said_in(*names: str) -> set[tuple[str, str]]:
    return {(name, f"The kiln of {name} is hot") for name in names}


def test_a_seat_reads_its_own_scope(north: Any, scopes: dict[str, Memories]):
    assert kilns(reader(north)) == said_in("mine")


def test_a_seat_that_reads_shared_ones_reads_them_beside_its_own(north: Any, scopes: dict[str, Memories]):
    # A scope without an owner is shared.
    assert kilns(reader(north, reads_shared=True)) == said_in("mine", "shared", "other")


def test_every_scope_is_what_the_seat_may_see(north: Any, scopes: dict[str, Memories]):
    assert kilns(reader(north, verbs=("memory:read",)), "*") == said_in("mine")
    assert kilns(reader(north, verbs=CROSSING), "*") == said_in("mine", "shared", "other")


def test_a_scope_is_named(north: Any, scopes: dict[str, Memories]):
    assert kilns(reader(north, verbs=CROSSING), "other") == said_in("other")
    assert kilns(reader(north, verbs=("memory:read",)), "mine") == said_in("mine")


def test_a_scope_that_a_seat_may_not_see_is_as_one_that_is_not_there(north: Any, scopes: dict[str, Memories]):
    bound = reader(north, verbs=("memory:read",))
    hidden, missing = (bound.post("recall", {"query": "kiln"}, query={"scope": name}) for name in ("other", "nowhere"))
    assert (hidden.status_code, hidden.content) == (404, missing.content)


def test_a_person_names_a_scope(trio: Trio):
    shared = Memories(trio.space, trio.space.scopes.get(owner=None).pk)
    private = make_scope(trio.space, "diary", trio.owner)
    shared.fragment("The kiln of everybody")
    own = Memories(trio.space, private.pk).fragment("The kiln of my own")
    owner, teammate = person(trio, "owner"), person(trio, "teammate")
    refused = owner.post("recall", {"query": "kiln"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "scope")
    assert owner.post("recall", {"query": "kiln"}, query={"scope": ""}).status_code == 400
    found = asked(owner, "kiln", scope="diary")
    assert (node_ids(found), found["items"][0]["shared"]) == ([str(own)], False)
    assert {item["scope"] for item in asked(owner, "kiln", scope="*")["items"]} == {"diary", "shared"}
    assert {item["scope"] for item in asked(teammate, "kiln", scope="*")["items"]} == {"shared"}
    assert teammate.post("recall", {"query": "kiln"}, query={"scope": "diary"}).status_code == 404


def test_a_stranger_and_nobody_learn_nothing(trio: Trio):
    stranger = person(trio, "stranger")
    assert stranger.post("recall", {"query": "kiln"}, query={"scope": "shared"}).status_code == 404
    assert Rest().post("recall", {"query": "kiln"}).status_code in {401, 403}


def test_the_words_of_one_scope_do_not_widen_the_question_to_another(north: Any, scopes: dict[str, Memories]):
    scopes["other"].fragments("My bicycle is green", "Her bicycle is red")
    assert not any("bicycle" in text for _, text in kilns(reader(north)))
    terms = [
        term["term"]
        for item in asked(reader(north), "bike", explain=True)["items"]
        for term in item["explanation"].get("keywords", {}).get("terms", [])
    ]
    assert terms == []


def test_a_question_to_many_scopes_asks_the_embedder_once(north: Any, scopes: dict[str, Memories], monkeypatch: Any):
    asked_of = []
    embed = WordllamaEmbedder.embed

    def counted(self: WordllamaEmbedder, texts: Any) -> Any:
        asked_of.append(list(texts))
        return embed(self, texts)

    monkeypatch.setattr(WordllamaEmbedder, "embed", counted)
    asked(reader(north, verbs=CROSSING), "where is the kiln?", scope="*")
    assert asked_of.count(["where is the kiln?"]) == 1
