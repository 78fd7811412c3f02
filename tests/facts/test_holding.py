"""When facts are due for deletion, and the holds that keep them all the same."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from audit.models import AuditRow
from common.errors import Conflict, Invalid, NotFound
from common.times import format_instant, now, parse_instant
from memory.facts.holding import due_facts, held_facts, lift_hold, place_hold
from memory.facts.models import Hold
from spaces.access import Binding
from spaces.databases.entering import current_alias
from spaces.databases.transactions import attempted
from tests.facts.reading_directly import reading
from tests.rest.client import Rest, seat, stored

Change = Callable[..., None]


def place(binding: Binding, fact_id: str, reason: str = "a court asked") -> None:
    attempted(lambda act: place_hold(act, binding, fact_id, reason))


def lift(binding: Binding, fact_id: str, reason: str = "the case is over") -> None:
    attempted(lambda act: lift_hold(act, binding, fact_id, reason))


def due(binding: Binding, **more: Any) -> list[tuple[str, bool]]:
    """The ids of what is due, each with whether it is held."""
    return [(item.view.record.id, item.hold is not None) for item in due_facts(binding, **more)]


def test_what_is_due_comes_in_the_order_of_its_dates(north: Any, rest: Rest):
    soon = format_instant(now() + timedelta(days=30))
    rest.imported(
        stored("month", retention="P1M"), stored("day", retention="P1D"), stored("none"),
        stored("soon", retention=soon), stored("far", retention="P90Y"),
    )  # fmt: skip

    with reading(north) as binding:
        assert due(binding) == [("fact:day", False), ("fact:month", False)]
        assert due(binding, until=now() + timedelta(days=90)) == [
            ("fact:day", False), ("fact:month", False), ("fact:soon", False),
        ]  # fmt: skip
        assert due(binding, most=1) == [("fact:day", False)]
        assert due_facts(binding)[0].due_at == parse_instant("2026-01-02")


def test_a_hold_is_placed_once_shown_and_lifted_and_can_be_placed_again(north: Any, rest: Rest):
    rest.imported(stored("a", retention="P1D"))

    with reading(north) as binding:
        place(binding, "fact:a")
        assert due(binding) == [("fact:a", True)]
        with pytest.raises(Conflict, match="already"):
            place(binding, "fact:a")
        lift(binding, "fact:a")
        assert due(binding) == [("fact:a", False)]
        with pytest.raises(NotFound):
            lift(binding, "fact:a")
        place(binding, "fact:a")
        assert Hold.objects.count() == 2


@pytest.mark.parametrize("reason", ["", "   ", "x" * 2_001, "a\0b", "\u200b"])
def test_a_reason_is_needed_for_both(north: Any, rest: Rest, reason: str):
    rest.imported(stored("a"), stored("b"))

    with reading(north) as binding:
        place(binding, "fact:b")
        for change, fact_id in ((place, "fact:a"), (lift, "fact:b")):
            with pytest.raises(Invalid) as refusal:
                change(binding, fact_id, reason)
            assert [error.field for error in refusal.value.errors] == ["reason"]
        assert [hold.fact for hold in Hold.objects.filter(lifted_at=None)] == ["fact:b"]


def test_placing_and_lifting_are_on_record_with_their_reasons(north: Any, rest: Rest):
    rest.imported(stored("a"))

    with reading(north) as binding:
        place(binding, "fact:a")
        lift(binding, "fact:a")
        rows = AuditRow.objects.using(current_alias()).filter(act__startswith="hold.").order_by("sequence")
        recorded = [(row.act, row.object, row.stated["reason"]) for row in rows]

    assert recorded == [("hold.place", "fact:a", "a court asked"), ("hold.lift", "fact:a", "the case is over")]


def test_held_facts_are_listed_also_without_a_date(north: Any, rest: Rest):
    rest.imported(stored("a"), stored("b", retention="P1D"), stored("c"))

    with reading(north) as binding:
        place(binding, "fact:a")
        place(binding, "fact:b")
        place(binding, "fact:c")
        lift(binding, "fact:c")
        held = held_facts(binding)

    assert [(item.view.record.id, item.due_at is None) for item in held] == [("fact:b", False), ("fact:a", True)]


def test_what_is_withheld_is_neither_due_nor_held_nor_can_a_hold_on_it_be_touched(north: Any):
    rest = seat(north)
    given = {"id": "consent:c", "subject": "patient:1", "purposes": ["care"], "granted_by": "human://patient"}
    assert rest.post("consents", given).status_code == 201
    phi = {"classification": "PHI", "consent": "consent:c", "subject": "patient:1"}
    rest.imported(stored("phi", retention="P1D", **phi))

    with reading(north, "care") as binding:
        place(binding, "fact:phi")
        assert due(binding) == [("fact:phi", True)]
        assert len(held_facts(binding)) == 1
    with reading(north) as binding:
        assert due(binding) == []
        assert held_facts(binding) == []
        for change in (place, lift):
            with pytest.raises(NotFound, match="no such fact"):
                change(binding, "fact:phi")
