"""What the audit of a Space says of its facts, and what becomes of a write that cannot be recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from audit.models import AuditRow
from audit.verifying import first_fault
from kndl_site.embedded import superuser_connection
from memory.facts.models import Fact
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from tests.actors import make_scope, make_user
from tests.rest.client import Rest, live, seat, stored


def recorded(space: Any) -> list[dict[str, Any]]:
    """The rows of the Space's audit, in their order; its chain must hold."""
    with entered(space) as here:
        assert first_fault(here.alias) is None
        return [dict(row) for row in AuditRow.objects.using(here.alias).order_by("sequence").values()]


@contextmanager
def unwritable_audit(data_dir: Path, space: Any) -> Iterator[None]:
    """The Space's audit takes no rows while the block runs."""
    with superuser_connection(data_dir, alias_of(space.pk)) as connection:
        connection.execute("alter table audit_row add constraint full_disk check (act = '') not valid")
        try:
            yield
        finally:
            connection.execute("alter table audit_row drop constraint full_disk")


def test_a_write_is_recorded_with_its_writer_its_fact_and_its_scope(rest: Rest, north: Any):
    made = rest.written()
    (row,) = recorded(north)

    assert (row["act"], row["object"], row["outcome"]) == ("fact.write", made["@id"], "done")
    assert row["actor_kind"] == "seat"
    assert row["scope"] == north.scopes.get(name="shared").pk
    assert row["request_id"].startswith("req-")


def test_the_audit_holds_no_content(rest: Rest, north: Any):
    rest.written(statement="a hidden marker", subject="marker", object="marker")
    assert "marker" not in str([row["stated"] for row in recorded(north)])


def test_superseding_is_recorded_with_what_it_replaced(rest: Rest, north: Any):
    old = rest.written()["@id"]
    new = rest.post(f"facts/{old}/supersede", live()).json()["@id"]
    row = recorded(north)[-1]

    assert (row["act"], row["object"], row["stated"]) == ("fact.supersede", new, {"supersedes": old})


def test_many_facts_at_once_are_one_row_with_their_count(rest: Rest, north: Any):
    rest.imported(stored("a"), stored("b"), stored("c"))
    rest.lines("facts/bulk", [live(), live()])

    assert [(row["act"], row["stated"]) for row in recorded(north)] == [
        ("fact.import", {"count": 3}),
        ("fact.write", {"count": 2}),
    ]


def test_a_bulk_write_of_which_nothing_is_taken_is_not_recorded_as_an_import(rest: Rest, north: Any):
    rest.lines("facts/bulk", [live(supersedes="fact:nowhere")])
    assert [row["act"] for row in recorded(north)] == ["fact.write"]


def test_a_write_that_cannot_be_recorded_is_not_kept(rest: Rest, north: Any, data_dir: Path):
    with unwritable_audit(data_dir, north):
        assert rest.post("facts", live()).status_code >= 500
        assert rest.lines("facts/import", [stored("a")]).status_code >= 500
        assert rest.lines("facts/bulk", [live()]).status_code >= 500
        assert rest.post("facts", live(), Idempotency_Key="k1").status_code >= 500

    assert rest.listed() == []
    assert "Idempotent-Replayed" not in rest.post("facts", live(), Idempotency_Key="k1")


def test_a_look_across_tenants_that_cannot_be_recorded_is_not_answered(north: Any, data_dir: Path):
    annex = make_scope(north, "annex", make_user("ann"))
    seat(north, scope=annex).written(statement="a secret of the annex")
    crossing = seat(north, verbs=("facts:read", "cross_tenant"))

    with unwritable_audit(data_dir, north):
        answer = crossing.get("facts", scope="annex")
    assert answer.status_code >= 500
    assert b"secret" not in answer.content


def test_a_refusal_is_recorded_after_everything_else_was_rolled_back(rest: Rest, north: Any):
    old = rest.written()["@id"]
    rest.post(f"facts/{old}/supersede", live())
    rest.post(f"facts/{old}/supersede", live())
    row = recorded(north)[-1]

    assert (row["outcome"], row["object"]) == ("refused", old)
    assert row["stated"] == {"status": 409, "code": "already_superseded"}
    with entered(north):
        assert Fact.objects.count() == 2


def test_what_a_seat_may_not_do_is_recorded(north: Any):
    reader = seat(north, verbs=("facts:read",))
    reader.post("facts", live())
    reader.get("facts", scope="somebody-else")

    assert [(row["outcome"], row["stated"]["status"]) for row in recorded(north)] == [
        ("refused", 403),
        ("refused", 404),
    ]


def test_reading_the_facts_of_ones_own_scope_leaves_no_row(rest: Rest, north: Any):
    made = rest.written()["@id"]
    rest.listed()
    rest.get(f"facts/{made}")
    rest.get("facts/fact:nowhere")
    rest.exported()

    assert len(recorded(north)) == 1
