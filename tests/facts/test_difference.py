"""What changed between two instants."""

from collections.abc import Callable
from typing import Any

import pytest

from common.errors import Invalid
from common.times import parse_instant
from memory.facts.difference import Difference, difference
from memory.facts.reading import subject_values
from tests.actors import make_scope
from tests.facts.reading_directly import reading
from tests.rest.client import Rest, seat, stored

JANUARY, FEBRUARY, MARCH, APRIL = (f"2026-0{month}-01T00:00:00Z" for month in (1, 2, 3, 4))
Changed = Callable[..., Difference]


@pytest.fixture
def changed(north: Any) -> Changed:
    """What changed in February, or between two other instants."""

    def ask(earlier: str = FEBRUARY, later: str = MARCH, *, purpose: str | None = None, **more: Any) -> Difference:
        with reading(north, purpose) as binding:
            if "subject" in more:
                more["subject_values"] = subject_values(binding, more.pop("subject"))
            return difference(binding, parse_instant(earlier), parse_instant(later), **more)

    return ask


def named(found: Difference) -> dict[str, list[str]]:
    """The ids of each kind of change that there was."""
    return {
        change: [fact.view.record.id.removeprefix("fact:") for fact in facts]
        for change, facts in found.changes.items()
        if facts
    }


def test_a_fact_that_was_recorded_in_between_appeared(rest: Rest, changed: Changed):
    rest.imported(
        stored("before"), stored("at-first", recordedAt=FEBRUARY), stored("between", recordedAt="2026-02-10T00:00:00Z"),
        stored("at-last", recordedAt=MARCH), stored("after", recordedAt="2026-03-01T00:00:00.000001Z"),
    )  # fmt: skip

    found = changed()

    assert named(found) == {"appeared": ["at-last", "between"]}
    assert found.changes["appeared"][0].at == parse_instant(MARCH)
    assert found.changes["appeared"][0].before is None


def test_a_superseded_fact_names_what_stands_in_its_place_and_that_is_not_listed_again(rest: Rest, changed: Changed):
    rest.imported(
        stored("old", confidence=0.8), stored("new", supersedes="fact:old", recordedAt="2026-02-10T00:00:00Z")
    )

    found = changed()

    assert named(found) == {"superseded": ["old"]}
    (only,) = found.changes["superseded"]
    assert only.replaced_by is not None
    assert (only.replaced_by.record.id, only.before, only.at) == ("fact:new", 0.8, parse_instant("2026-02-10"))
    assert named(changed(MARCH, APRIL)) == {}


def test_what_came_and_was_superseded_in_between_is_new_and_marked(rest: Rest, changed: Changed):
    rest.imported(
        stored("brief", recordedAt="2026-02-05T00:00:00Z"),
        stored("lasting", recordedAt="2026-02-10T00:00:00Z", supersedes="fact:brief"),
    )

    found = changed()

    assert named(found) == {"appeared": ["lasting", "brief"]}
    assert found.changes["appeared"][1].view.superseded_by == "fact:lasting"


def test_a_fact_that_ran_out_in_between_expired_unless_something_replaced_it(rest: Rest, changed: Changed):
    rest.imported(
        stored("ran-out", validUntil="2026-02-10T00:00:00Z"), stored("at-last", validUntil=MARCH),
        stored("at-first", validUntil=FEBRUARY), stored("later", validUntil=APRIL),
        stored("replaced", validUntil="2026-02-20T00:00:00Z"),
        stored("instead", supersedes="fact:replaced", recordedAt="2026-02-10T00:00:00Z"),
    )  # fmt: skip

    assert named(changed()) == {"superseded": ["replaced"], "expired": ["at-last", "ran-out"]}


def test_what_had_expired_before_and_is_replaced_is_not_superseded_and_its_replacement_is_new(
    rest: Rest, changed: Changed
):
    rest.imported(
        stored("gone", validUntil="2026-01-10T00:00:00Z"),
        stored("again", supersedes="fact:gone", recordedAt="2026-02-10T00:00:00Z"),
    )

    assert named(changed()) == {"appeared": ["again"]}


def test_a_fact_that_fell_out_of_its_band_is_listed_with_both_numbers_and_the_instant(rest: Rest, changed: Changed):
    # 0.8 × 0.5^(days/31): below 0.7 on 6 January, below 0.3 on 13 February; and a quick one falls through both.
    rest.imported(
        stored("slow", confidence=0.8, decay="0.5/31d"),
        stored("quick", confidence=0.9, decay="0.1/10d", validFrom="2026-02-05T00:00:00Z"),
        stored("sinks", confidence=1, decay="0.9/365d"), stored("stays", confidence=0.5),
    )  # fmt: skip

    found = changed()

    assert named(found) == {"crossed": ["slow", "quick"]}
    slow, quick = found.changes["crossed"]
    assert (slow.band_before, slow.view.band) == ("uncertain", "stale")
    assert slow.before == pytest.approx(0.4)
    assert slow.view.effective_confidence == pytest.approx(0.8 * 0.5 ** (59 / 31))
    assert (quick.band_before, quick.view.band) == ("usable", "stale")
    assert slow.at.date().isoformat() == "2026-02-13"


def test_a_superseded_or_expired_fact_does_not_leave_its_band_as_well(rest: Rest, changed: Changed):
    fading = {"confidence": 0.8, "decay": "0.5/31d"}
    rest.imported(
        stored("superseded", **fading), stored("new", supersedes="fact:superseded", recordedAt="2026-02-10T00:00:00Z"),
        stored("expired", validUntil="2026-02-20T00:00:00Z", **fading),
    )  # fmt: skip

    assert named(changed()) == {"superseded": ["superseded"], "expired": ["expired"]}


def test_each_kind_is_bounded_and_says_when_there_was_more(rest: Rest, changed: Changed):
    rest.imported(*(stored(f"f{n}", recordedAt=f"2026-02-{n:02}T00:00:00Z") for n in range(2, 8)))

    assert changed(most=6).cut == frozenset()
    found = changed(most=3)
    assert named(found) == {"appeared": ["f7", "f6", "f5"]}
    assert found.cut == {"appeared"}


def test_a_subject_narrows_every_kind(rest: Rest, changed: Changed):
    ours = {"subject": "c:1", "predicate": "p"}
    rest.imported(
        stored("mine", recordedAt=MARCH, **ours), stored("other", recordedAt=MARCH, subject="c:2", predicate="p"),
        stored("ends", validUntil=MARCH, **ours), stored("ends-too", validUntil=MARCH, subject="c:2", predicate="p"),
    )  # fmt: skip

    assert named(changed(subject="c:1")) == {"expired": ["ends"], "appeared": ["mine"]}


def test_scopes_do_not_supersede_each_others_facts(north: Any, rest: Rest, changed: Changed):
    other = seat(north, scope=make_scope(north, "second"))
    rest.imported(stored("same"))
    other.imported(stored("same"), stored("new", supersedes="fact:same", recordedAt="2026-02-10T00:00:00Z"))

    found = changed()

    assert len(found.changes["superseded"]) == 1
    assert {fact.view.scope for fact in found.changes["superseded"]} == {fact.scope for fact in _scopes(found)}


def _scopes(found: Difference) -> list[Any]:
    return [fact.replaced_by for fact in found.changes["superseded"]]


def test_phi_is_among_the_changes_only_for_a_purpose_that_its_consent_covers(north: Any, changed: Changed):
    rest = seat(north)
    given = {"id": "consent:c", "subject": "patient:1", "purposes": ["care"], "granted_by": "human://patient"}
    assert rest.post("consents", given).status_code == 201
    phi = {"classification": "PHI", "consent": "consent:c", "subject": "patient:1", "predicate": "p"}
    rest.imported(
        stored("came", recordedAt=MARCH, **phi), stored("ended", validUntil=MARCH, **phi), stored("old"),
        stored("hides-old", supersedes="fact:old", recordedAt=MARCH, **phi),
    )  # fmt: skip

    assert named(changed()) == {}
    assert named(changed(purpose="billing")) == {}
    assert named(changed(purpose="care")) == {"superseded": ["old"], "expired": ["ended"], "appeared": ["came"]}
    assert named(changed(purpose="care", subject="patient:1")) == {"expired": ["ended"], "appeared": ["came"]}


@pytest.mark.parametrize("later", [FEBRUARY, JANUARY])
def test_the_instants_must_be_in_order(changed: Changed, later: str):
    with pytest.raises(Invalid) as refusal:
        changed(FEBRUARY, later)
    assert [error.field for error in refusal.value.errors] == ["later"]


def test_both_may_lie_in_the_future(rest: Rest, changed: Changed):
    rest.imported(stored("slow", confidence=0.9, decay="0.5/365d"), stored("ends", validUntil="2031-01-01T00:00:00Z"))

    found = changed("2030-01-01T00:00:00Z", "2032-01-01T00:00:00Z")

    assert named(found) == {"expired": ["ends"]}
