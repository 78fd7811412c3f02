"""Memory is reached inside a Space or not at all; there is no database it falls back to."""

from collections.abc import Callable
from typing import Any

import pytest

from audit.models import AuditRow, IdempotencyKey
from memory.facts.models import Fact, FactParent, Predicate
from spaces.databases.entering import NoSpaceEntered, current_alias, entered
from spaces.databases.router import WrongDatabase
from spaces.models import Space
from tests.rest.client import seat

Pair = tuple[Space, Space]


@pytest.fixture
def pair(new_space: Callable[..., Any]) -> Pair:
    return new_space("north"), new_space("south")


def predicate(name: str = "p") -> Predicate:
    return Predicate(name=name, multi_valued=True)


@pytest.mark.parametrize("model", [Fact, FactParent, Predicate])
@pytest.mark.parametrize("touch", ["count", "first", "delete", "exists"])
def test_memory_outside_a_space_raises(pair: Pair, model: Any, touch: str):
    with pytest.raises(NoSpaceEntered):
        getattr(model.objects.all(), touch)()


def test_a_write_outside_a_space_raises(pair: Pair):
    with pytest.raises(NoSpaceEntered):
        predicate().save()
    with pytest.raises(NoSpaceEntered):
        current_alias()


def test_each_space_holds_its_own_rows(pair: Pair):
    north, south = pair
    seat(north).written(**{"@id": "fact:n"})
    seat(south).written(**{"@id": "fact:s"})

    for space, fact in ((north, "fact:n"), (south, "fact:s")):
        with entered(space):
            assert [found.id for found in Fact.objects.all()] == [fact]


@pytest.mark.parametrize("touch", ["save", "delete", "refresh_from_db"])
def test_an_object_of_another_space_cannot_be_touched(pair: Pair, touch: str):
    north, south = pair
    seat(north).written(**{"@id": "fact:n"})
    with entered(north):
        fact = Fact.objects.get()
    with entered(south), pytest.raises(WrongDatabase):
        getattr(fact, touch)()
    with pytest.raises(NoSpaceEntered):
        getattr(fact, touch)()


def test_a_relation_is_not_followed_into_another_space(pair: Pair):
    north, south = pair
    rest = seat(north)
    rest.written(derivedFrom=[rest.written()["@id"]])
    with entered(north):
        parent = FactParent.objects.get()
    with entered(south), pytest.raises(WrongDatabase):
        parent.fact  # noqa: B018 - following it is the query


def test_a_space_cannot_be_entered_from_inside_another(pair: Pair):
    north, south = pair
    with entered(north):
        with pytest.raises(RuntimeError, match="leave it before entering south"), entered(south):
            pass
        assert current_alias().endswith(north.pk.hex)
        with entered(north):
            pass
        assert current_alias().endswith(north.pk.hex)


def test_a_space_is_left_when_its_block_raises(pair: Pair):
    with pytest.raises(ZeroDivisionError), entered(pair[0]):
        _ = 1 / 0
    with pytest.raises(NoSpaceEntered):
        current_alias()


@pytest.mark.parametrize("model", [AuditRow, IdempotencyKey])
def test_rows_that_every_database_has_need_to_be_told_which(pair: Pair, model: Any):
    with entered(pair[0]), pytest.raises(WrongDatabase):
        model.objects.count()
    with pytest.raises(WrongDatabase):
        model.objects.count()
    assert model.objects.using("default").count() >= 0


def test_rows_of_the_control_database_are_reached_from_inside_a_space(pair: Pair):
    with entered(pair[0]):
        assert Space.objects.count() == 2
