"""What lies in the rows of PHI: sealed content that opens in its own place alone, keyed hashes, and no word."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from audit.models import AuditRow
from audit.recording import NothingRecorded
from common.crypto import NotOpened, new_key, seal, unseal
from kndl_site.embedded import superuser_connection
from memory.keys import keeping
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.phi.patients import SUBJECT, consent, phi, stored_phi
from tests.rest.client import Rest, live, seat

WORDS = ("rash", "4471", "finding", "leaflet", "detail", "diary")


@contextmanager
def superuser(data_dir: Path, space: Any) -> Iterator[psycopg.Connection[Any]]:
    """Into the Space's database past every trigger, as a thief of the disk or a rogue administrator is."""
    with superuser_connection(data_dir, alias_of(space.pk)) as connection:
        connection.execute("set session_replication_role = replica")
        yield connection


def rows(data_dir: Path, space: Any, table: str) -> list[dict[str, Any]]:
    with superuser(data_dir, space) as connection:
        cursor = connection.execute(f"select row_to_json(t) from {table} t")
        return [row[0] for row in cursor.fetchall()]


@pytest.fixture
def written(rest: Rest) -> Rest:
    """A seat whose scope holds two PHI facts of one patient."""
    consent(rest, evidence="leaflet 7")
    rest.imported(
        stored_phi("a", statement="a has a rash", predicate="finding", object={"detail": "diary"}),
        stored_phi("b", statement="b has a rash", predicate="finding", object="detail"),
    )
    return rest


def test_no_word_of_it_is_in_any_row(written: Rest, north: Any, data_dir: Path):
    written.post("facts", phi(inference="rule:rash", **{"@type": "RashFinding", "note": "diary"}))
    for table in ("fact", "fact_group", "consent", "data_key", "audit_row", "idempotency_key"):
        text = json.dumps(rows(data_dir, north, table))
        assert not [word for word in WORDS if word.casefold() in text.casefold()], table


def test_the_word_index_holds_nothing_of_it(written: Rest, north: Any, data_dir: Path):
    assert {row["search"] for row in rows(data_dir, north, "fact")} == {""}
    assert written.ids(text="rash", purpose="treatment") == []


def test_equal_objects_of_different_patients_do_not_look_alike(written: Rest, north: Any, data_dir: Path):
    consent(written, name="consent:c2", subject="patient:2")
    written.imported(
        stored_phi("c", predicate="finding", object="hiv"),
        stored_phi("d", predicate="finding", object="hiv"),
        stored_phi("e", predicate="finding", object="hiv", subject="patient:2", consent="consent:c2"),
    )
    objects = {row["id"]: row["object"] for row in rows(data_dir, north, "fact")}
    assert objects["fact:c"] == objects["fact:d"] != objects["fact:e"]


@pytest.mark.parametrize(
    ("columns", "moved"),
    [("sealed, key", "its content"), ("consent", "its consent"), ("subject", "its subject"), ("id", "its id")],
)
def test_a_row_that_was_tampered_with_does_not_open(
    written: Rest, north: Any, data_dir: Path, columns: str, moved: str
):
    """The columns of two rows are exchanged; nothing of either is shown, and somebody hears of it."""
    if columns in {"consent", "subject"}:
        consent(written, name="consent:c2", subject="patient:2")
        written.imported(stored_phi("c", subject="patient:2", consent="consent:c2", statement="c has a rash"))
        pair = ("fact:a", "fact:c")
    else:
        pair = ("fact:a", "fact:b")
    with superuser(data_dir, north) as connection:
        connection.execute("alter table fact disable trigger all")
        names = columns.split(", ")
        both = {row[0]: row[1:] for row in connection.execute(
            f"select number, {columns} from fact where id = any(%s) order by id", [list(pair)]
        ).fetchall()}  # fmt: skip
        one, other = both
        sets = ", ".join(f"{name} = %s" for name in names)
        if columns == "id":
            connection.execute("update fact set id = 'fact:between' where number = %s", [one])
        connection.execute(f"update fact set {sets} where number = %s", [*both[one], other])
        connection.execute(f"update fact set {sets} where number = %s", [*both[other], one])
        connection.execute("alter table fact enable trigger all")

    for answer in (
        written.get("facts", purpose="treatment"),
        written.get("facts/fact:a", purpose="treatment"),
        written.get("facts/export", purpose="treatment"),
    ):
        text = (answer.getvalue() if answer.streaming else answer.content).decode()
        assert "a has a rash" not in text, moved
    damage = AuditRow.objects.using(alias_of(north.pk)).filter(act="phi.does_not_open")
    assert columns in {"consent", "subject"} or damage.exists()


def test_a_fact_that_was_put_under_a_wider_consent_of_its_subject_does_not_open(
    written: Rest, north: Any, data_dir: Path
):
    consent(written, name="consent:wide", purposes=["marketing"])
    with superuser(data_dir, north) as connection:
        connection.execute("update fact set consent = 'consent:wide'")
    answer = written.get("facts", purpose="marketing")
    assert (answer.status_code, answer.json()["count"]) == (200, 0)
    assert AuditRow.objects.using(alias_of(north.pk)).filter(act="phi.does_not_open").count() == 2


def test_taking_the_class_off_a_sealed_row_releases_nothing(written: Rest, north: Any, data_dir: Path):
    with superuser(data_dir, north) as connection:
        connection.execute("alter table fact drop constraint fact_phi_is_sealed")
        connection.execute("update fact set classification = 'PUBLIC'")
    try:
        assert written.ids() == []
    finally:
        with superuser(data_dir, north) as connection:
            connection.execute("truncate fact cascade")
            connection.execute(
                "alter table fact add constraint fact_phi_is_sealed check (((classification = 'PHI' and sealed is not"
                " null and key is not null and consent is not null and statement = '' and source = '' and file is null)"
                " or (not (classification = 'PHI' and classification is not null) and sealed is null and key is null)"
                " or (classification is null and sealed is null and key is null)))"
            )


def test_one_damaged_row_does_not_keep_the_others_from_being_read(written: Rest, north: Any, data_dir: Path):
    with superuser(data_dir, north) as connection:
        connection.execute("update fact set sealed = '\\x00' where id = 'fact:a'")
    assert written.ids(purpose="treatment") == ["fact:b"]
    assert [fact["@id"] for fact in written.exported(purpose="treatment")] == ["fact:b"]
    assert written.get("facts/fact:a", purpose="treatment").status_code == 404


def test_a_consent_that_was_moved_to_another_subject_does_not_open(written: Rest, north: Any, data_dir: Path):
    with superuser(data_dir, north) as connection:
        connection.execute("update consent set subject = 'phi:' || repeat('0', 40)")
    answer = written.post("consents/consent:c1/narrow", {"purposes": ["treatment"]})
    assert answer.status_code == 503
    assert "leaflet" not in answer.content.decode()


def test_each_subject_has_a_key_of_its_own(written: Rest, north: Any, data_dir: Path):
    consent(written, name="consent:c2", subject="patient:2")
    written.imported(stored_phi("c", subject="patient:2", consent="consent:c2"))
    keys = {row["id"]: row["key"] for row in rows(data_dir, north, "fact")}
    assert keys["fact:a"] == keys["fact:b"] != keys["fact:c"]


def test_a_fact_that_waits_for_its_consent_has_a_key_of_its_own_which_then_is_the_subjects(
    rest: Rest, north: Any, data_dir: Path
):
    rest.imported(stored_phi("a", subject=None), stored_phi("b", subject=None))
    before = rows(data_dir, north, "data_key")
    assert sorted(row["subject"] is None for row in before if row["name"] != "space") == [True, True]

    consent(rest)
    after = {row["subject"] for row in rows(data_dir, north, "data_key") if row["name"] != "space"}
    assert len(after) == 1
    assert None not in after
    assert sorted(rest.ids(purpose="treatment")) == ["fact:a", "fact:b"]


def hashed_and_rolled_back() -> str:
    found = []
    with suppress(NothingRecorded), memory_transaction():
        found.append(keeping.hashed(1, "subject", SUBJECT))
    return found[0]


def test_the_key_for_hashes_is_forgotten_with_the_transaction_that_made_it(north: Any):
    """Kept in the process after a rollback, it would be another one than every later process finds."""
    keeping._index_keys.pop(north.pk, None)
    with entered(north):
        lost = hashed_and_rolled_back()
        kept = keeping.hashed(1, "subject", SUBJECT)
        assert kept != lost
        keeping._index_keys.pop(north.pk)
        assert keeping.hashed(1, "subject", SUBJECT) == kept


def test_a_first_write_that_is_refused_leaves_hashes_that_still_hold(north: Any):
    keeping._index_keys.pop(north.pk, None)
    rest = seat(north)
    refused = rest.post("facts", live(subject=SUBJECT, predicate="p", derivedFrom=["fact:none"]))
    assert refused.status_code == 422
    consent(rest)
    rest.imported(stored_phi("a"))
    keeping._index_keys.pop(north.pk, None)
    assert rest.ids(subject=SUBJECT, purpose="treatment") == ["fact:a"]


def test_opening_in_another_place_is_refused_by_the_cipher_itself():
    key = new_key()
    sealed = seal(key, b"content", "here")
    assert unseal(key, sealed, "here") == b"content"
    for place, bytes_given in (("there", sealed), ("here", sealed[:-1]), ("here", b""), ("here", sealed[:11])):
        with pytest.raises(NotOpened):
            unseal(key, bytes_given, place)
