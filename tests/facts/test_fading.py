"""Facts about to leave their band: which, when, and what takes them off the list."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from common.errors import Invalid, NotFound
from common.times import format_instant, now
from memory.facts.counting import soon_fading
from memory.facts.fading import FadingFact, FadingQuery, by_subject, checked_key, fading_facts, snoozed_facts
from memory.facts.renewing import snooze, still_true, wake
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from spaces.models import Scope, Space
from tests.actors import make_scope
from tests.rest.client import Rest, seat, stored

DAY = timedelta(days=1)
# From 0.9 to 0.7 in 10.9 days, to 0.3 in 47.5.
HALF_A_MONTH = "0.5/30d"


def bound(space: Space, **more: Any) -> Binding:
    return Binding(space, SYSTEM_CALLER, tuple(Scope.objects.filter(space=space).order_by("pk")), **more)


def fading(name: str, age: timedelta = timedelta(0), **more: Any) -> dict[str, Any]:
    """A fact that was valid from `age` ago."""
    since = format_instant(now() - age)
    return stored(name, **{"subject": "door", "decay": HALF_A_MONTH, "validFrom": since, "recordedAt": since} | more)


def listed(space: Space, within: timedelta = 30 * DAY, **query: Any) -> list[FadingFact]:
    with entered(space):
        return fading_facts(bound(space), FadingQuery(within=within, **query)).facts


def names(space: Space, within: timedelta = 30 * DAY, **query: Any) -> list[str]:
    return [fact.view.record.id.removeprefix("fact:") for fact in listed(space, within, **query)]


def test_a_fact_is_listed_with_the_band_it_falls_to_and_when(north: Space, rest: Rest):
    rest.imported(fading("new"), fading("old", 40 * DAY), fading("stays", decay=None))

    old, new = listed(north)

    assert (old.view.record.id, old.view.band, old.falls_to) == ("fact:old", "uncertain", "stale")
    assert (new.view.record.id, new.view.band, new.falls_to) == ("fact:new", "usable", "uncertain")
    assert old.leaves_at - now() == pytest.approx(7.55 * DAY, abs=0.1 * DAY)
    assert new.leaves_at - now() == pytest.approx(10.88 * DAY, abs=0.1 * DAY)


def test_a_fact_that_falls_twice_within_the_time_is_listed_once_for_its_next_fall(north: Space, rest: Rest):
    rest.imported(fading("fast", decay="0.5/7d"))

    (fact,) = listed(north)

    assert fact.falls_to == "uncertain"
    with entered(north):
        assert soon_fading(bound(north)) == (1, False)


def test_only_what_falls_within_the_time_is_listed(north: Space, rest: Rest):
    rest.imported(fading("new"), fading("old", 40 * DAY))

    assert names(north, 7 * DAY) == []
    assert names(north, 8 * DAY) == ["old"]
    assert names(north, 90 * DAY) == ["old", "new"]
    assert names(north, falls_to="uncertain") == ["new"]


@pytest.mark.parametrize(
    "fact",
    [
        fading("ends", validUntil=format_instant(now() + DAY)),
        fading("later", -5 * DAY, recordedAt="2026-01-01T00:00:00Z"),
        fading("stale", 90 * DAY),
        fading("weak", confidence=0.2),
    ],
    ids=lambda fact: fact["@id"],
)
def test_what_ends_first_or_is_not_valid_yet_or_has_fallen_does_not_fade(
    north: Space, rest: Rest, fact: dict[str, Any]
):
    rest.imported(fact)

    assert names(north) == []


def test_a_superseded_fact_does_not_fade(north: Space, rest: Rest):
    rest.imported(fading("old"), fading("new", supersedes="fact:old", decay=None))

    assert names(north) == []
    with entered(north):
        assert soon_fading(bound(north)) == (0, False)


def test_phi_fades_before_who_may_read_it_and_is_never_counted(north: Space, rest: Rest):
    rest.post(
        "consents",
        {"id": "consent:c", "subject": "door", "purposes": ["care"], "granted_by": "human://subject"},
    )
    rest.imported(fading("sealed", classification="PHI", consent="consent:c"))

    with entered(north):
        for purpose, count in ((None, 0), ("billing", 0), ("care", 1)):
            binding = bound(north, purpose=purpose)
            assert len(fading_facts(binding, FadingQuery()).facts) == count
            assert len(fading_facts(binding, FadingQuery(subject="door")).facts) == count
            assert soon_fading(binding) == (0, False)


def test_scopes_do_not_mix(north: Space, rest: Rest):
    other = make_scope(north, "other")
    rest.imported(fading("a"))
    seat(north, scope=other).imported(fading("a"), fading("b"))

    assert sorted(names(north)) == ["a", "a", "b"]
    with entered(north):
        assert len(fading_facts(Binding(north, SYSTEM_CALLER, (other,)), FadingQuery()).facts) == 2


def test_pages_lead_through_every_fact_once_soonest_first(north: Space, rest: Rest):
    rest.imported(*(fading(f"n{number}", number * DAY) for number in range(7)), fading("low", 40 * DAY))

    seen, key = [], None
    with entered(north):
        while True:
            page = fading_facts(bound(north), FadingQuery(limit=3), key)
            seen += [fact.view.record.id.removeprefix("fact:") for fact in page.facts]
            if page.next_key is None:
                break
            key = checked_key(list(page.next_key))

    assert seen == ["n6", "n5", "n4", "low", "n3", "n2", "n1", "n0"]


@pytest.mark.parametrize(
    "key", [None, [], ["2026-01-01T00:00:00Z", "x"], ["yesterday", "x", 1], ["2026-01-01", "x", True]]
)
def test_a_key_of_another_kind_is_refused(key: Any):
    with pytest.raises(ValueError, match=r".+"):
        checked_key(key)


def test_subjects_stand_in_the_order_of_their_first_loss(north: Space, rest: Rest):
    rest.imported(
        fading("a1", subject="a"), fading("b1", 5 * DAY, subject="b"), fading("a2", 9 * DAY, subject="a"),
        fading("none", 2 * DAY, subject=None),
    )  # fmt: skip

    groups = list(by_subject(listed(north)))

    assert [group.subject for group in groups] == ["a", "b", None]
    assert [fact.view.record.id for fact in groups[0].facts] == ["fact:a2", "fact:a1"]


def test_still_true_writes_the_claim_again_with_a_fresh_begin(north: Space, rest: Rest):
    rest.imported(fading("old", 9 * DAY, object="open", predicate="state", observedAt="2026-01-01T00:00:00Z"))

    with entered(north), memory_transaction() as act:
        made = still_true(act, bound(north), "fact:old")

    assert names(north, 9 * DAY) == []
    (fact,) = rest.listed(subject="door")
    assert (fact["@id"], fact["supersedes"], fact["object"]) == (made.id, "fact:old", "open")
    assert fact["validFrom"] == fact["recordedAt"]
    assert {"observedAt", "derivedFrom"}.isdisjoint(fact)


def test_a_snoozed_fact_comes_back_when_its_time_is_over_or_it_is_woken(north: Space, rest: Rest):
    rest.imported(fading("a"), fading("b"))
    until = now() + 7 * DAY

    with entered(north):
        with memory_transaction() as act:
            snooze(act, bound(north), "fact:a", until)
        (put_off,) = snoozed_facts(bound(north))
        assert (put_off.view.record.id, put_off.until) == ("fact:a", until)
        assert soon_fading(bound(north)) == (1, False)
    assert names(north) == ["b"]

    with entered(north):
        with memory_transaction() as act:
            wake(act, bound(north), "fact:a")
        assert snoozed_facts(bound(north)) == []
    assert sorted(names(north)) == ["a", "b"]


@pytest.mark.parametrize("until", [timedelta(seconds=-1), timedelta(days=367)])
def test_a_snooze_lies_ahead_and_within_a_year(north: Space, rest: Rest, until: timedelta):
    rest.imported(fading("a"))

    with entered(north), pytest.raises(Invalid), memory_transaction() as act:
        snooze(act, bound(north), "fact:a", now() + until)


def test_what_is_not_here_is_neither_put_off_nor_woken(north: Space, rest: Rest):
    with entered(north):
        for act_on in (wake, lambda act, binding, name: snooze(act, binding, name, now() + DAY)):
            with pytest.raises(NotFound), memory_transaction() as act:
                act_on(act, bound(north), "fact:never")


def test_many_are_counted_up_to_fifty(north: Space, rest: Rest):
    rest.imported(*(fading(f"n{number}") for number in range(51)))

    with entered(north):
        assert soon_fading(bound(north)) == (50, True)


def test_the_fall_is_the_first_instant_below_the_threshold(north: Space, rest: Rest):
    rest.imported(fading("a", 3 * DAY))
    (fact,) = listed(north)

    def at(instant: datetime) -> float:
        found: float = rest.listed(subject="door", as_of=format_instant(instant))[0]["effective_confidence"]
        return found

    millisecond = timedelta(milliseconds=1)
    assert at(fact.leaves_at - millisecond) >= 0.7 > at(fact.leaves_at + millisecond)
