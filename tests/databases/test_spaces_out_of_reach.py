"""A Space whose database is lost answers 503, the others go on, and it is back as soon as its database is."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connections
from django.test import Client

from common.errors import SpaceUnavailable
from kndl_site.embedded import superuser_connection
from spaces.databases.aliases import alias_of
from spaces.databases.backend.base import space_store
from spaces.databases.entering import PAUSE, entered, lost_since
from spaces.databases.provisioning import create_space_database, drop_space_database
from spaces.models import Membership, Scope, Space
from tests.actors import Trio, make_seat_token
from tests.databases.breaking import BREAKINGS, Breaking, as_superuser, ended


@pytest.fixture
def fragile(trio: Trio) -> Iterator[Space]:
    """A Space of the teammate's with a database of its own, which may be broken."""
    space_id = uuid.uuid4()
    create_space_database(space_id)
    space = Space.objects.create(id=space_id, slug="fragile", name="Fragile things", state=Space.State.READY)
    Scope.objects.create(space=space, name="shared")
    Membership.objects.create(space=space, user=trio.teammate, role=Membership.Role.MEMBER)
    yield space
    connections.close_all()
    drop_space_database(space_id)


def facts_of(client: Client, slug: str) -> Any:
    return client.get(f"/api/v1/spaces/{slug}/facts")


def with_token(space: Space) -> Client:
    return Client(headers={"Authorization": f"Bearer {make_seat_token(space)}"})


@pytest.mark.parametrize("breaking", BREAKINGS, ids=lambda breaking: breaking.name)
def test_a_lost_space_answers_503_while_the_others_go_on_and_comes_back_by_itself(
    breaking: Breaking, fragile: Space, trio: Trio, data_dir: Path
) -> None:
    seat, other_seat, person = with_token(fragile), with_token(trio.space), trio.client("teammate")
    assert facts_of(seat, "fragile").status_code == 200
    breaking.broken(data_dir, fragile.pk)

    answer = facts_of(seat, "fragile")
    assert answer.status_code == 503, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert int(answer["Retry-After"]) > 0
    assert answer.json()["code"] == "space_unavailable"
    assert "Fragile things" in answer.json()["detail"]
    assert lost_since(fragile.pk)

    page = person.get("/spaces/fragile/")
    assert page.status_code == 503
    assert int(page["Retry-After"]) > 0
    assert "Fragile things is out of reach" in page.content.decode()

    ready = Client().get("/readyz")
    assert ready.json()["lost_spaces"] == ["fragile"]
    assert ready.json()["checks"]["database"] == "ok"

    assert facts_of(other_seat, "north").status_code == 200
    assert person.get("/spaces/north/").status_code == 200

    breaking.mended(data_dir, fragile.pk)
    assert facts_of(seat, "fragile").status_code == 200
    assert person.get("/spaces/fragile/").status_code == 200
    assert lost_since(fragile.pk) is None


def test_a_space_that_goes_away_while_one_is_inside_is_out_of_reach_too(fragile: Space, data_dir: Path) -> None:
    def lose_it_inside() -> None:
        with entered(fragile) as here:
            as_superuser(data_dir, "postgres", ended(here.alias))
            with connections[here.alias].cursor() as cursor:
                cursor.execute("select 1")

    with pytest.raises(SpaceUnavailable):
        lose_it_inside()


def test_a_space_whose_server_answers_slowly_is_not_tried_by_everybody(
    fragile: Space, trio: Trio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each try would hold a connection of those that the other Spaces need."""
    tries = []

    def slow_and_lost(connection: psycopg.Connection[tuple[object, ...]], space_id: str) -> None:
        tries.append(space_id)
        clock[0] += 5
        raise psycopg.OperationalError("timeout expired")

    clock = [1000.0]
    monkeypatch.setattr("spaces.databases.entering.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("spaces.databases.backend.base.check_identity", slow_and_lost)
    for _ in range(3):
        with pytest.raises(SpaceUnavailable), entered(fragile):
            pass
    assert len(tries) == 1
    monkeypatch.undo()
    monkeypatch.setattr("spaces.databases.entering.time.monotonic", lambda: clock[0])
    clock[0] += PAUSE
    with entered(fragile):
        pass


def test_a_space_is_not_called_lost_when_all_its_connections_are_in_use(
    fragile: Space, trio: Trio, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = with_token(fragile)
    space_store.close_idle(older_than=-1)
    monkeypatch.setattr(space_store, "limit", 0)
    monkeypatch.setattr(space_store, "wait_seconds", 0.05)
    answer = facts_of(seat, "fragile")
    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    assert lost_since(fragile.pk) is None
    monkeypatch.undo()
    assert facts_of(seat, "fragile").status_code == 200


def test_a_space_sent_to_another_ones_database_is_refused(fragile: Space, trio: Trio, data_dir: Path) -> None:
    parameters = connections.settings["default"]
    address = f"postgresql:///{alias_of(trio.space.pk)}?host={parameters['HOST']}&user={parameters['USER']}"
    Space.objects.filter(pk=fragile.pk).update(database_url=f"{address}&password={parameters['PASSWORD']}")
    with entered(trio.space):
        pass
    assert facts_of(with_token(fragile), "fragile").status_code == 503
    assert facts_of(with_token(trio.space), "north").status_code == 200
    Space.objects.filter(pk=fragile.pk).update(database_url="")
    assert facts_of(with_token(fragile), "fragile").status_code == 200


def test_a_connection_is_met_again_and_still_shown_to_be_the_spaces_each_time(fragile: Space, data_dir: Path) -> None:
    seen = set()
    for _ in range(5):
        with entered(fragile) as here, connections[here.alias].cursor() as cursor:
            cursor.execute("select pg_backend_pid()")
            seen.add(cursor.fetchone()[0])
    assert len(seen) == 1
    with superuser_connection(data_dir) as superuser:
        rows = superuser.execute("select pid from pg_stat_activity where datname = %s", [alias_of(fragile.pk)])
        assert {row[0] for row in rows.fetchall()} == seen
