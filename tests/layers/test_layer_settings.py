"""What a Space says of its layers."""

import json
from datetime import timedelta

import pytest

from common.times import format_instant, now
from memory.layers.decay import decay_due
from memory.layers.models import LayerSettings, Reinforcement
from spaces.databases.entering import entered
from tests.accounts.factors import give_app
from tests.layers.remembered import Remembered, days
from tests.rest.client import Rest, seat


def put(rest, body, **headers):
    return rest.client.put(
        rest.address("layers/settings"), json.dumps(body), content_type="application/json", headers=headers
    )


def test_the_settings_begin_with_the_defaults(rest, north):
    answer = rest.get("layers/settings")
    assert (answer.status_code, answer["ETag"]) == (200, '"1"')
    assert answer.json() == {
        "version": 1, "review": False, "distiller": "", "phi_to_model": False, "fragment_tau": 14.0, "event_tau": 45.0,
        "fragment_threshold": 0.05, "event_threshold": 0.02, "idle_minutes": 30, "full_lines": 200, "quiet_seconds": 30,
    }  # fmt: skip
    with entered(north):
        assert LayerSettings.objects.count() == 1


def test_only_what_is_given_changes_and_an_old_version_is_refused(rest):
    first = put(rest, {"review": True, "idle_minutes": 10}, If_Match='"1"')
    assert (first.status_code, first["ETag"]) == (200, '"2"')
    assert (first.json()["review"], first.json()["idle_minutes"], first.json()["full_lines"]) == (True, 10, 200)
    stale = put(rest, {"review": False}, If_Match='"1"')
    assert (stale.status_code, stale.json()["version"]) == (412, 2)
    assert rest.get("layers/settings").json()["review"] is True
    assert put(rest, {"review": True}, If_Match='"2"').json()["version"] == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"fragment_tau": 0}, "fragment_tau"), ({"fragment_tau": "14"}, "fragment_tau"),
        ({"event_tau": 1e9}, "event_tau"),
        ({"fragment_threshold": 1}, "fragment_threshold"), ({"event_threshold": None}, "event_threshold"),
        ({"review": 1}, "review"), ({"distiller": "magic"}, "distiller"), ({"idle_minutes": 0}, "idle_minutes"),
        ({"full_lines": 1.5}, "full_lines"), ({"quiet_seconds": -1}, "quiet_seconds"), ({"embedder": "x"}, "embedder"),
    ],
)  # fmt: skip
def test_a_bad_setting_is_named_and_nothing_changes(rest, body, field):
    for answer in (put(rest, body), rest.post("layers/settings/preview", body)):
        assert answer.status_code == 400
        assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert rest.get("layers/settings").json()["version"] == 1


def test_a_bad_etag_is_named(rest):
    answer = put(rest, {"review": True}, If_Match="yesterday")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "If-Match")


def test_a_new_tau_goes_to_the_memories_that_are_there_in_proportion(rest, remembered, north):
    formed = now() - days(28)
    plain = remembered.fragment("The mill stands still", at=formed)
    recalled = remembered.fragment("The mill was sold", at=formed, tau=28.0)
    event = remembered.event("The mill", "About the mill", [plain])
    assert put(rest, {"fragment_tau": 28}).status_code == 200
    assert [remembered.strength(node).tau for node in (plain, recalled, event)] == [28.0, 56.0, 45.0]
    row = remembered.strength(plain)
    assert (row.score, row.scored_at) == (1.0, formed)
    with entered(north):
        assert sorted(Reinforcement.objects.filter(kind="set").values_list("node", flat=True)) == [plain, recalled]

    def strength(at):
        return rest.get(f"memories/{plain}", as_of=format_instant(at)).json()["strength"]["effective"]

    assert strength(formed + days(14)) == pytest.approx(0.3679, abs=1e-3)
    assert strength(now()) == pytest.approx(0.3679, abs=1e-3)


def test_what_a_change_would_do_is_what_the_next_pass_then_does(rest, remembered, north):
    at = now()
    with entered(north):
        decay_due(north, at - days(1))
    nodes = [remembered.fragment(f"Note {age} of the mill", at=at - days(age)) for age in (0, 10, 20, 30, 60)]
    events = [remembered.event(f"Day {age}", f"Day {age} of the mill", [], at=at - days(age)) for age in (0, 100)]
    change = {"fragment_tau": 7.0, "event_threshold": 0.15}
    told = rest.post("layers/settings/preview", change).json()["layers"]
    assert told == [
        {"layer": 1, "live": 5, "goes": 1, "would_go": 2, "could_return": 0},
        {"layer": 2, "live": 2, "goes": 0, "would_go": 1, "could_return": 0},
    ]
    assert rest.get("layers/settings").json()["version"] == 1
    assert put(rest, change).status_code == 200
    with entered(north):
        assert decay_due(north, at).archived == {"1": 2, "2": 1}
    assert [remembered.is_indexed(node) for node in (*nodes, *events)] == [True, True, True, False, False, True, False]
    back = rest.post("layers/settings/preview", {"fragment_tau": 14.0, "fragment_threshold": 0.01}).json()["layers"]
    assert back[0]["could_return"] == 2


def test_the_next_pass_is_shown_with_what_it_takes(rest, remembered, north):
    with entered(north):
        decay_due(north, now())
    weak = [remembered.fragment(f"Faint note {number}", score=0.04) for number in range(3)]
    remembered.fragment("A strong note")
    first = rest.get("layers/decay/next", limit=2).json()
    assert (first["taken"], first["count"]) == ({"1": 3}, 2)
    second = rest.get("layers/decay/next", limit=2, cursor=first["next"]).json()
    seen = [memory["id"] for memory in first["memories"] + second["memories"]]
    assert sorted(seen) == weak
    assert second["next"] is None
    assert rest.get("layers/decay/next", layer=2).json()["taken"] == {}
    passes = rest.get("layers/decay").json()
    assert [row["state"] for row in passes["passes"]] == ["first"]
    assert passes["next_pass_at"] == first["next_pass_at"]


def test_a_pass_is_undone_over_rest(rest, remembered, north):
    with entered(north):
        decay_due(north, now() - days(1))
    node = remembered.fragment("Faint note", score=0.01)
    with entered(north):
        row = decay_due(north, now())
    answer = rest.post(f"layers/decay/{row.date}/undo", None)
    assert (answer.status_code, answer.json()["state"]) == (200, "undone")
    assert remembered.is_indexed(node)
    assert rest.post(f"layers/decay/{row.date}/approve", None).status_code == 409
    assert rest.post(f"layers/decay/{row.date - timedelta(days=400)}/undo", None).status_code == 404
    assert rest.post("layers/decay/tomorrow/refuse", None).status_code == 404


def test_owner_changes_settings_and_teammate_and_stranger_do_not(trio):
    for person in (trio.owner, trio.stranger):
        give_app(person)
    Remembered(trio.space, trio.space.scopes.get().pk)
    teammate, stranger = Rest(trio.client("teammate")), Rest(trio.client("stranger"))
    assert put(teammate, {"review": True}).status_code == 403
    assert teammate.get("layers/settings").status_code == 200
    assert put(stranger, {"review": True}).status_code == 404
    owner = Rest(trio.client("owner"))
    unconfirmed = put(owner, {"review": True})
    assert (unconfirmed.status_code, unconfirmed.json()["code"]) == (403, "confirmation_required")


def test_only_an_owner_lets_phi_out_to_a_model(north, rest):
    assert put(rest, {"phi_to_model": True}).status_code == 403
    assert put(rest, {"phi_to_model": False}).status_code == 200
    assert put(seat(north, verbs=("memory:read",)), {"review": True}).status_code == 403
