"""Making a Space: rows in one database and a database of its own, whole in the end whatever cuts it off."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.urls import URLResolver, get_resolver

from audit.models import AuditRow
from audit.verifying import first_fault
from common.errors import Conflict, Invalid, SpaceUnavailable, Unavailable
from common.times import now
from kndl_site.embedded import superuser_connection
from spaces import making, operations
from spaces.access import SYSTEM_CALLER
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from spaces.databases.provisioning import drop_space_database
from spaces.making import make_space
from spaces.models import Operation, Space
from spaces.ticking import tick

pytestmark = pytest.mark.usefixtures("committed_db")

STEPS = [name for name, _ in making.MAKE_SPACE.steps]


@pytest.fixture(autouse=True)
def no_database_left_behind(committed_db: None) -> Iterator[None]:
    yield
    connections.close_all()
    for space in Space.objects.all():
        drop_space_database(space.pk)


@pytest.fixture
def cut_off(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have one step of the next making cut off once, before or after it did its work."""

    def cut(step: str, *, after: bool, by: BaseException) -> None:
        pending = [by]

        def wrapped(work: Callable[[Operation], None]) -> Callable[[Operation], None]:
            def run(operation: Operation) -> None:
                if after or not pending:
                    work(operation)
                if pending:
                    raise pending.pop()

            return run

        steps = [(name, wrapped(work) if name == step else work) for name, work in making.MAKE_SPACE.steps]
        monkeypatch.setitem(operations._kinds, "make_space", operations.Kind("make_space", steps))

    return cut


def time_passes() -> None:
    """Until every operation that waits is due."""
    Operation.objects.filter(done_at=None).update(next_try_at=now() - timedelta(seconds=1))


def space_databases(data_dir: Path) -> set[str]:
    with superuser_connection(data_dir) as superuser:
        rows = superuser.execute("select datname from pg_database where datname like 'space\\_%'").fetchall()
    return {str(row[0]) for row in rows}


def acts_there(space: Space) -> list[str]:
    """What was done to the Space; the tick's own passes over its memory are no part of its making."""
    with entered(space) as here:
        rows = AuditRow.objects.using(here.alias).exclude(act__in=["decay.pass", "kip.seed"])
        return list(rows.order_by("sequence").values_list("act", flat=True))


def test_a_new_space_is_ready_with_its_scope_and_says_in_both_chains_who_made_it() -> None:
    space = make_space(SYSTEM_CALLER, "north", "The north")
    assert space.state == Space.State.READY
    assert [scope.name for scope in space.scopes.all()] == ["shared"]
    assert acts_there(space) == ["space.make"]
    assert list(AuditRow.objects.using("default").values_list("act", "object")) == [("space.make", "space:north")]
    assert Operation.objects.get().done_at


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
def test_a_making_cut_off_at_any_step_is_finished_by_the_tick_once(
    step: str, after: bool, cut_off: Callable[..., None], data_dir: Path
) -> None:
    before = space_databases(data_dir)
    cut_off(step, after=after, by=OperationalError("the server went away"))
    with pytest.raises(Unavailable, match="opens by itself"):
        make_space(SYSTEM_CALLER, "north", "The north")
    tick()
    assert Operation.objects.get().done_at is None, "it is not tried again at once"
    time_passes()
    tick()
    tick()
    space = Space.objects.get()
    assert space.state == Space.State.READY
    assert acts_there(space) == ["space.make"]
    with entered(space) as here:
        assert first_fault(here.alias) is None
    operation = Operation.objects.get()
    assert (operation.steps_done, operation.attempts) == (STEPS, 1)
    assert space_databases(data_dir) - before == {alias_of(space.pk)}


def test_a_making_cut_off_by_a_kill_is_finished_by_a_tick_when_its_lease_has_run_out(
    cut_off: Callable[..., None],
) -> None:
    cut_off("audit", after=True, by=KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        make_space(SYSTEM_CALLER, "north", "The north")
    tick()
    assert Space.objects.get().state == Space.State.MAKING
    time_passes()
    tick()
    assert Space.objects.get().state == Space.State.READY
    assert acts_there(Space.objects.get()) == ["space.make"]


def words_under_spaces(patterns: list[Any], before: str = "") -> Iterator[str]:
    """What stands, literally, where a Space's short name stands in other addresses."""
    for pattern in patterns:
        address = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from words_under_spaces(pattern.url_patterns, address)
        elif found := re.fullmatch(r"(?:api/v1/)?spaces/([a-z0-9-]+)(?:/.*)?", address):
            yield found[1]


def test_no_space_is_named_like_a_page() -> None:
    words = set(words_under_spaces(get_resolver().url_patterns))
    assert "new" in words
    for word in words:
        with pytest.raises(Invalid) as refused:
            make_space(SYSTEM_CALLER, word, "A page")
        assert [fault.field for fault in refused.value.errors] == ["slug"]
    assert not Space.objects.exists()


def test_of_two_who_make_the_same_space_at_once_one_is_told_that_it_is_taken() -> None:
    def maker(number: int) -> str:
        try:
            return make_space(SYSTEM_CALLER, "north", f"The north, {number}").name
        except Conflict as error:
            return error.type
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as threads:
        answers = sorted(threads.map(maker, range(2)))
    assert answers[1] == "conflict", answers
    assert Space.objects.get().name == answers[0]
    assert Operation.objects.count() == 1


def test_two_ticks_at_once_do_not_run_an_operation_twice(cut_off: Callable[..., None]) -> None:
    cut_off("database", after=False, by=OperationalError("the server went away"))
    with pytest.raises(Unavailable):
        make_space(SYSTEM_CALLER, "north", "The north")
    time_passes()

    def finish(_: int) -> int:
        try:
            return operations.finish_due()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(3) as threads:
        assert sum(threads.map(finish, range(3))) == 1


def test_a_tick_goes_on_past_a_space_that_is_out_of_reach() -> None:
    lost, kept = make_space(SYSTEM_CALLER, "lost", "Lost"), make_space(SYSTEM_CALLER, "kept", "Kept")
    connections.close_all()
    drop_space_database(lost.pk)
    Space.objects.update(next_due_at=now() - timedelta(seconds=1))
    tick()
    due = Space.objects.get(pk=kept.pk).next_due_at
    assert due is not None, "its next date of decay"
    assert due > now()
    with pytest.raises(SpaceUnavailable), entered(lost):
        pass
