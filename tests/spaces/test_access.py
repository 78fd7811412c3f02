"""Who may see which Spaces and scopes, and what a request is bound to."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from accounts.models import User
from audit.recording import Actor
from common.errors import Forbidden, Invalid
from spaces.access import SYSTEM_CALLER, Caller, Hidden, bind, find_space, person_caller, visible_scopes, visible_spaces
from spaces.models import Space
from spaces.rules import require
from tests.spaces.world import World, make_world


@pytest.fixture
def world(new_space: Callable[..., Any]) -> World:
    return make_world(new_space)


def seat_of(world: World, scope: str, **more: Any) -> Caller:
    return Caller(Actor("seat", "s"), "seat", space_id=world.north.pk, scope_id=world.scopes[scope].pk, **more)


def names(world: World, caller: Caller) -> set[str]:
    return set(visible_scopes(caller, world.north).values_list("name", flat=True))


def test_who_sees_which_scopes(world: World):
    everything = {"ann", "ben", "shared", "annex"}
    seen = {who: names(world, person_caller(person)) for who, person in world.people.items()}
    assert seen == {
        "ann": {"ann", "shared", "annex"},
        "ben": {"ben", "shared", "annex"},
        "auditor": everything,
        "admin": everything,
        "owner": everything,
        "stranger": set(),
    }
    seat = seat_of(world, "ann")
    assert names(world, seat) == {"ann"}
    assert names(world, replace(seat, reads_shared=True)) == {"ann", "shared", "annex"}
    assert names(world, replace(seat, verbs=frozenset({"cross_tenant"}))) == everything
    assert names(world, replace(seat, space_id=world.south.pk, verbs=frozenset({"cross_tenant"}))) == set()


def test_who_sees_which_spaces(world: World):
    def slugs(caller: Caller) -> set[str]:
        return set(visible_spaces(caller).values_list("slug", flat=True))

    assert slugs(person_caller(world.people["ann"])) == {"north"}
    assert slugs(person_caller(world.people["stranger"])) == {"south"}
    assert slugs(seat_of(world, "ann")) == {"north"}
    assert slugs(Caller(Actor("seat", "s"), "adrift")) == set()
    assert slugs(SYSTEM_CALLER) == set()


def test_an_instance_role_alone_opens_no_space(world: World):
    stranger = world.people["stranger"]
    stranger.instance_role = User.InstanceRole.OWNER
    stranger.save()
    with pytest.raises(Hidden):
        find_space(person_caller(stranger), "north")


def test_a_space_that_is_being_made_is_not_there_yet(world: World):
    Space.objects.filter(pk=world.north.pk).update(state=Space.State.MAKING)
    with pytest.raises(Hidden):
        find_space(person_caller(world.people["ann"]), "north")


@pytest.mark.parametrize("named", [[], [""], ["ann", ""], ["ann", "shared"]])
def test_a_person_must_name_one_scope(world: World, named: list[str]):
    with pytest.raises(Invalid):
        bind(person_caller(world.people["ann"]), world.north, named)


def test_naming_the_same_scope_twice_is_naming_it_once(world: World):
    assert bind(person_caller(world.people["ann"]), world.north, ["ann", "ann"]).one == world.scopes["ann"]


def test_a_scope_of_the_same_name_in_another_space_is_another_scope(world: World):
    bound = bind(person_caller(world.people["stranger"]), world.south, ["shared"])
    assert bound.one == world.south.scopes.get()
    with pytest.raises(Hidden):
        bind(person_caller(world.people["stranger"]), world.north, ["shared"])


def test_every_scope_is_every_scope_one_may_see_and_never_a_place_to_write(world: World):
    ann = person_caller(world.people["ann"])
    assert set(bind(ann, world.north, ["*"]).names.values()) == {"ann", "shared", "annex"}
    assert set(bind(seat_of(world, "ann"), world.north, ["*"]).names.values()) == {"ann"}
    with pytest.raises(Invalid):
        bind(ann, world.north, ["*"], writing=True)


def test_a_seat_that_names_nothing_has_its_own_scope_and_what_it_reads_beside_it(world: World):
    seat = seat_of(world, "annex")
    assert bind(seat, world.north, []).scope_ids == [world.scopes["annex"].pk]

    reading = bind(replace(seat, reads_shared=True), world.north, [])
    assert set(reading.names.values()) == {"annex", "shared"}
    assert bind(replace(seat, reads_shared=True), world.north, [], writing=True).one == world.scopes["annex"]


def test_a_seat_whose_scope_lies_in_another_space_is_bound_to_nothing(world: World):
    astray = replace(seat_of(world, "ann"), scope_id=world.south.scopes.get().pk)
    with pytest.raises(Exception, match="does not exist"):
        bind(astray, world.north, [])


def test_reading_shared_scopes_is_not_writing_them(world: World):
    seat = seat_of(world, "ann", reads_shared=True)
    assert bind(seat, world.north, ["shared"]).one == world.scopes["shared"]
    with pytest.raises(Hidden):
        bind(seat, world.north, ["shared"], writing=True)


def test_only_what_lies_beyond_ones_own_and_the_shared_is_a_crossing(world: World):
    crossing = seat_of(world, "ann", verbs=frozenset({"cross_tenant"}))
    assert not bind(crossing, world.north, ["ann"]).crosses
    assert bind(crossing, world.north, ["ben"]).crosses
    assert bind(crossing, world.north, ["*"]).crosses
    assert not bind(replace(crossing, reads_shared=True), world.north, ["shared"]).crosses


def test_of_others_are_the_scopes_of_other_people_alone(world: World):
    owner = person_caller(world.people["owner"])
    assert {scope.name for scope in bind(owner, world.north, ["*"]).of_others} == {"ann", "ben"}
    assert bind(person_caller(world.people["ann"]), world.north, ["*"]).of_others == ()


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        ("ann", {"facts:read", "facts:write", "facts:import"}),
        ("auditor", {"facts:read", "space:read_audit"}),
        ("admin", {"facts:read", "facts:write", "facts:import", "consents:write", "space:govern", "space:read_audit"}),
        ("owner", {"facts:read", "facts:write", "facts:import", "consents:write", "space:govern", "space:read_audit"}),
        ("stranger", set()),
    ],
)
def test_what_each_role_may_do(world: World, who: str, allowed: set[str]):
    rules = {"facts:read", "facts:write", "facts:import", "consents:write", "space:govern", "space:read_audit"}

    def may(rule: str) -> bool:
        try:
            require(rule, person_caller(world.people[who]), world.north)
        except Forbidden:
            return False
        return True

    assert {rule for rule in rules if may(rule)} == allowed


def test_a_verb_holds_in_the_space_of_its_token_alone(world: World):
    seat = seat_of(world, "ann", verbs=frozenset({"facts:write"}))
    require("facts:write", seat, world.north)
    for rule, space in (("facts:read", world.north), ("facts:write", world.south)):
        with pytest.raises(Forbidden):
            require(rule, seat, space)
