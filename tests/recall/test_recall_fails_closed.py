"""When something that recall needs is gone there is no answer, and no part of one; and it comes back by itself."""

import uuid
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connections

from memory.embedding import choosing
from spaces.databases.entering import current_alias
from spaces.databases.provisioning import create_space_database, drop_space_database
from spaces.models import Scope, Space
from tests.databases.breaking import BREAKINGS, Breaking, as_superuser, ended
from tests.recall.conftest import asked, node_ids
from tests.recall.memories import Memories
from tests.rest.client import Rest, seat

LOSING = [breaking for breaking in BREAKINGS if breaking.name in {"renamed", "refusing", "swapped"}]


@pytest.fixture
def fragile(db: None, django_db_setup: None) -> Iterator[Space]:
    """A Space with a database of its own, which may be broken."""
    space_id = uuid.uuid4()
    create_space_database(space_id)
    space = Space.objects.create(id=space_id, slug="fragile", name="Fragile things", state=Space.State.READY)
    Scope.objects.create(space=space, name="shared")
    yield space
    connections.close_all()
    drop_space_database(space_id)


def refused(rest: Rest, *codes: str) -> None:
    answer = rest.post("recall", {"query": "kiln"})
    assert answer.status_code == 503, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] in codes
    assert b"items" not in answer.content
    assert b"fired" not in answer.content


@pytest.mark.parametrize("breaking", LOSING, ids=lambda breaking: breaking.name)
def test_a_lost_database_is_503_and_it_comes_back_by_itself(breaking: Breaking, fragile: Space, data_dir: Path):
    memories, rest = Memories(fragile, fragile.scopes.get().pk), seat(fragile)
    node = memories.fragment("We fired the kiln")
    assert node_ids(asked(rest, "kiln")) == [str(node)]
    breaking.broken(data_dir, fragile.pk)
    refused(rest, "space_unavailable")
    breaking.mended(data_dir, fragile.pk)
    assert node_ids(asked(rest, "kiln")) == [str(node)]


@pytest.mark.parametrize(
    "place",
    [
        "recalling.spread",
        "recalling.matches",
        "recalling.recent_lines",
        "recalling.gathered",
        "items.sources_of",
        "items.facts_of",
        "answering.recall_fragments",
    ],
)
def test_a_database_lost_in_the_middle_of_an_answer_is_503_too(
    place: str, fragile: Space, data_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    memories, rest = Memories(fragile, fragile.scopes.get().pk), seat(fragile)
    memories.fragment("We fired the kiln")
    asked(rest, "kiln")
    target = f"memory.recall.{place}"
    module, _, name = target.rpartition(".")
    whole = getattr(import_module(module), name)

    def lost(*given: Any, **more: Any) -> Any:
        as_superuser(data_dir, "postgres", ended(current_alias()))
        return whole(*given, **more)

    monkeypatch.setattr(target, lost)
    refused(rest, "space_unavailable", "unavailable")
    monkeypatch.undo()
    assert asked(rest, "kiln")["count"] == 1


def test_an_embedder_that_is_not_there_is_503_and_nothing_is_found_by_words_alone(memories: Memories, rest: Rest):
    node = memories.fragment("We fired the kiln")
    memories.sql("update scope_stat set embedder = 'openai:away'")
    refused(rest, "embedder_unavailable")
    assert [row.kind for row in memories.history(node)] == ["formed"]
    memories.sql("update scope_stat set embedder = 'wordllama'")
    assert node_ids(asked(rest, "kiln")) == [str(node)]


def test_a_scope_that_is_moved_to_another_embedder_meanwhile_is_asked_again(
    memories: Memories, rest: Rest, monkeypatch: pytest.MonkeyPatch
):
    node = memories.fragment("We fired the kiln")

    class Small:
        name = "small"
        dimensions = 4

        def embed(self, texts: Any) -> Any:
            return np.tile(np.eye(1, 4, dtype="f4"), (len(texts), 1))

    class Moving(Small):
        """While its vector is made, the scope is moved on to the other."""

        name = "moving"
        dimensions = 3

        def embed(self, texts: Any) -> Any:
            memories.sql("update scope_stat set embedder = 'small', dimensions = 4")
            memories.sql("update node_index set embedding = '[1,0,0,0]'::halfvec")
            return np.tile(np.eye(1, 3, dtype="f4"), (len(texts), 1))

    monkeypatch.setitem(choosing._made, "small", Small())
    monkeypatch.setitem(choosing._made, "moving", Moving())
    memories.sql("update scope_stat set embedder = 'moving', dimensions = 3")
    memories.sql("update node_index set embedding = '[1,0,0]'::halfvec")
    assert node_ids(asked(rest, "kiln")) == [str(node)]
