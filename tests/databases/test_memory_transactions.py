"""The one way to change a Space's memory: what races do to it."""

from collections.abc import Iterator

import pytest
from django.db import IntegrityError, OperationalError, connections
from psycopg import errors

from audit.recording import SYSTEM, Act
from spaces.databases.entering import NoSpaceEntered, entered
from spaces.databases.transactions import attempted, memory_transaction
from spaces.models import Space


@pytest.fixture
def inside(space: Space) -> Iterator[str]:
    """The alias of the Space one is in."""
    with entered(space) as here:
        yield here.alias


def keys(alias: str) -> list[str]:
    with connections[alias].cursor() as cursor:
        cursor.execute("select key from idempotency_key order by key")
        return [row[0] for row in cursor.fetchall()]


def copy_keys(act: Act, *names: str) -> None:
    """Write rows by COPY, whose errors psycopg raises by itself."""
    act.record(SYSTEM, "test.copy")
    columns = "actor, key, body_hash, status, object_id, made_at"
    with connections[act.using].cursor() as cursor, cursor.copy(f"copy idempotency_key ({columns}) from stdin") as copy:
        for name in names:
            copy.write_row(("system:kndl", name, b"", 0, "", "2026-11-30T10:00:00Z"))


def test_outside_a_space_there_is_none() -> None:
    with pytest.raises(NoSpaceEntered), memory_transaction():
        pass


def test_a_copy_that_meets_a_taken_key_raises_djangos_error_and_keeps_nothing(inside: str) -> None:
    with pytest.raises(IntegrityError), memory_transaction() as act:
        copy_keys(act, "a", "b", "a")
    assert keys(inside) == []


@pytest.mark.parametrize("race", [errors.UniqueViolation, errors.DeadlockDetected, errors.SerializationFailure])
def test_a_write_that_lost_a_race_is_done_again(inside: str, race: type[Exception]) -> None:
    lost = [race("somebody else was first")]

    def write(act: Act) -> str:
        copy_keys(act, "a")
        if lost:
            raise lost.pop()
        return "done"

    assert attempted(write) == "done"
    assert keys(inside) == ["a"]


def test_a_write_that_loses_three_races_says_so(inside: str) -> None:
    tries = []

    def write(act: Act) -> None:
        tries.append(act)
        raise errors.DeadlockDetected("again")

    with pytest.raises(OperationalError):
        attempted(write)
    assert len(tries) == 3


def test_any_other_trouble_of_the_server_is_not_tried_again(inside: str) -> None:
    tries = []

    def write(act: Act) -> None:
        tries.append(act)
        raise errors.DiskFull("no space left")

    with pytest.raises(OperationalError):
        attempted(write)
    assert len(tries) == 1
