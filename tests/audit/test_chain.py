"""The chain of audit rows, in both kinds of database: whatever is done to it behind Kndl's back is found."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import ProgrammingError, connections
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from audit.chain import FIELDS, faults, sign
from audit.models import AuditRow
from audit.recording import SYSTEM, Actor, NothingRecorded, audited, chain_key, refused
from audit.verifying import first_fault, head, note_heads
from kndl_site.embedded import superuser_connection
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from spaces.models import Space

ROWS = 6
COLUMNS = ", ".join([*FIELDS, "mark"])
OTHERS = ", ".join([name for name in FIELDS if name != "sequence"] + ["mark"])

pytestmark = pytest.mark.usefixtures("committed_db")


@pytest.fixture(autouse=True)
def heads_of_this_test(settings: LazySettings, tmp_path: Path) -> None:
    settings.KNDL_AUDIT_HEADS = tmp_path / "audit-heads"


@pytest.fixture
def north(new_space: Callable[..., Any]) -> Space:
    space: Space = new_space("north")
    return space


@pytest.fixture(params=["control", "space"])
def using(request: pytest.FixtureRequest, north: Space) -> Iterator[str]:
    """The alias of a database with a chain of ROWS rows."""
    with ExitStack() as stack:
        alias = "default" if request.param == "control" else stack.enter_context(entered(north)).alias
        for number in range(ROWS):
            act(alias, f"object:{number}")
        yield alias


def act(alias: str, name: str) -> None:
    with audited(alias) as transaction:
        transaction.record(SYSTEM, "test.act", name, number=len(name))


def tamper(data_dir: Path, alias: str, *statements: str) -> None:
    """What only a superuser can do: no trigger and no right stands in the way."""
    with superuser_connection(data_dir, "kndl" if alias == "default" else alias) as connection:
        connection.execute("set session_replication_role = replica")
        for statement in statements:
            connection.execute(statement.encode())


def test_a_chain_that_nobody_touched_holds(using: str) -> None:
    assert first_fault(using) is None
    assert head(using).sequence == ROWS


@pytest.mark.parametrize(
    ("statements", "first_bad"),
    [
        pytest.param(["update audit_row set act = 'other' where sequence = 3"], 3, id="changed act"),
        pytest.param(
            ["update audit_row set at = at + interval '1 microsecond' where sequence = 2"], 2, id="changed time"
        ),
        pytest.param(["update audit_row set stated = '{}' where sequence = 6"], 6, id="changed last row"),
        pytest.param(["update audit_row set scope = 0 where sequence = 1"], 1, id="changed first row"),
        pytest.param(["delete from audit_row where sequence = 4"], 4, id="removed"),
        pytest.param(["delete from audit_row where sequence <= 2"], 1, id="head cut off"),
        pytest.param(
            [
                "delete from audit_row where sequence = 3",
                "update audit_row set sequence = sequence + 100 where sequence > 3",
                "update audit_row set sequence = sequence - 101 where sequence > 100",
            ],
            3,
            id="removed and closed up",
        ),
        pytest.param(
            [f"insert into audit_row ({COLUMNS}) select 7, {OTHERS} from audit_row where sequence = 6"],
            7,
            id="repeated",
        ),
        pytest.param(
            [
                "update audit_row set sequence = sequence + 100 where sequence > 2",
                f"insert into audit_row ({COLUMNS}) select 3, {OTHERS} from audit_row where sequence = 2",
                "update audit_row set sequence = sequence - 99 where sequence > 100",
            ],
            3,
            id="inserted between",
        ),
        pytest.param(
            [
                "update audit_row set sequence = 100 where sequence = 4",
                "update audit_row set sequence = 4 where sequence = 5",
                "update audit_row set sequence = 5 where sequence = 100",
            ],
            4,
            id="reordered",
        ),
    ],
)
def test_tampering_is_found_with_the_first_bad_row(
    using: str, data_dir: Path, statements: list[str], first_bad: int
) -> None:
    tamper(data_dir, using, *statements)
    fault = first_fault(using)
    assert fault is not None
    assert fault.sequence == first_bad


def test_a_chain_that_was_cut_at_its_end_shows_by_the_head_outside_the_database(using: str, data_dir: Path) -> None:
    note_heads()
    tamper(data_dir, using, f"delete from audit_row where sequence > {ROWS - 2}")
    fault = first_fault(using)
    assert fault is not None
    assert fault.sequence == ROWS - 1
    assert "missing" in fault.reason


def test_a_chain_written_anew_with_the_right_key_shows_by_the_head_outside(using: str, data_dir: Path) -> None:
    note_heads()
    rows = list(AuditRow.objects.using(using).order_by("sequence").values(*FIELDS))
    previous = b"\0" * 32
    for row in rows:
        row["act"] = "harmless"
        previous = sign(chain_key(using), previous, row)
        mark = f"update audit_row set act = 'harmless', mark = '\\x{previous.hex()}' where sequence = {row['sequence']}"
        tamper(data_dir, using, mark)
    fault = first_fault(using)
    assert fault is not None
    assert "written anew" in fault.reason


def test_a_head_is_written_outside_only_when_it_changed(using: str, settings: LazySettings) -> None:
    note_heads()
    assert note_heads() == 0
    act(using, "one more")
    assert note_heads() == 1
    written = (settings.KNDL_AUDIT_HEADS / f"{using}.jsonl").read_text().splitlines()
    assert len(written) == 2
    assert f'"sequence": {ROWS + 1}' in written[1]
    assert (settings.KNDL_AUDIT_HEADS / f"{using}.jsonl").stat().st_mode & 0o077 == 0


def test_a_head_whose_line_was_cut_off_by_a_crash_does_not_count(using: str, settings: LazySettings) -> None:
    note_heads()
    with (settings.KNDL_AUDIT_HEADS / f"{using}.jsonl").open("a") as file:
        file.write('{"at": "2026-11-30T10:00:00Z", "sequ')
    assert first_fault(using) is None


def test_a_row_of_another_database_does_not_verify(new_space: Callable[..., Any], data_dir: Path) -> None:
    here, there = new_space("here"), new_space("there")
    for space in (here, there):
        with entered(space) as inside:
            act(inside.alias, "object:1")
    with superuser_connection(data_dir, alias_of(there.pk)) as connection:
        row = connection.execute(f"select {COLUMNS} from audit_row".encode()).fetchone()
    assert row is not None
    tamper(data_dir, alias_of(here.pk), "delete from audit_row")
    with superuser_connection(data_dir, alias_of(here.pk)) as connection:
        values = [Jsonb(value) if isinstance(value, dict) else value for value in row]
        places = ", ".join(["%s"] * len(values))
        connection.execute(f"insert into audit_row ({COLUMNS}) values ({places})".encode(), values)
    with entered(here) as inside:
        fault = first_fault(inside.alias)
    assert fault is not None
    assert fault.sequence == 1


def test_writers_at_the_same_time_keep_the_chain_whole(north: Space) -> None:
    def write(number: int) -> None:
        try:
            with entered(north) as here:
                for step in range(5):
                    act("default", f"{number}:{step}")
                    act(here.alias, f"{number}:{step}")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(write, range(6)))
    assert (first_fault("default"), head("default").sequence) == (None, 30)
    with entered(north) as here:
        assert (first_fault(here.alias), head(here.alias).sequence) == (None, 30)


def test_a_transaction_that_says_nothing_of_what_it_did_is_not_kept(using: str) -> None:
    with pytest.raises(NothingRecorded), audited(using):
        pass
    assert head(using).sequence == ROWS


def test_an_act_that_fails_leaves_no_row_and_its_refusal_has_one(using: str) -> None:
    with suppress(LookupError), audited(using) as transaction:
        transaction.record(SYSTEM, "test.act", "object:7")
        raise LookupError
    refused(using, Actor("person", "7"), "test.act", "object:7", status=409)
    assert head(using).sequence == ROWS + 1
    last = AuditRow.objects.using(using).get(sequence=ROWS + 1)
    assert (last.outcome, last.actor_id, last.stated) == ("refused", "7", {"status": 409})
    assert first_fault(using) is None


def test_the_application_can_neither_change_nor_remove_rows(using: str) -> None:
    for statement in ("update audit_row set act = ''", "delete from audit_row", "truncate audit_row"):
        with pytest.raises(ProgrammingError, match="permission denied"), connections[using].cursor() as cursor:
            cursor.execute(statement)


def test_a_chain_longer_than_one_reading_holds(using: str, monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    monkeypatch.setattr("audit.verifying._ROWS_AT_ONCE", 2)
    assert first_fault(using) is None
    tamper(data_dir, using, "update audit_row set act = 'other' where sequence = 5")
    fault = first_fault(using)
    assert fault is not None
    assert fault.sequence == 5


json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "ä"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def test_whatever_is_stated_is_read_again_as_it_was_signed(committed_db: None) -> None:
    @hypothesis_settings(max_examples=40, deadline=None)
    @given(st.dictionaries(st.sampled_from(["reason", "count", "ids"]), json))
    def holds(stated: dict[str, Any]) -> None:
        with audited("default") as transaction:
            transaction.record(SYSTEM, "test.act", "object:1", **stated)
        assert first_fault("default") is None

    holds()


def test_the_chain_names_a_missing_first_row_without_a_database() -> None:
    row = dict.fromkeys(FIELDS, "") | {"sequence": 2, "mark": b""}
    assert [fault.sequence for fault in faults(b"key", [row])] == [1]
