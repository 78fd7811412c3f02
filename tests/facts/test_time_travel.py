"""Two axes of time: what was known at `as_of`, and what was true at `valid_at`."""

import pytest

from tests.rest.client import Rest, live, stored

MARCH, APRIL, MAY = "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", "2026-05-01T00:00:00Z"


@pytest.fixture
def scores(rest: Rest) -> Rest:
    """A score that was corrected twice."""
    claim = {"subject": "c:1", "predicate": "score"}
    rest.imported(
        stored("first", object=720, recordedAt=MARCH, validFrom=MARCH, **claim),
        stored("second", object=740, recordedAt=APRIL, validFrom=APRIL, supersedes="fact:first", **claim),
        stored("third", object=750, recordedAt=MAY, validFrom=MAY, supersedes="fact:second", **claim),
    )
    return rest


@pytest.mark.parametrize(
    ("as_of", "known"),
    [
        ("2026-02-28T23:59:59.999999Z", []),
        (MARCH, ["fact:first"]),
        ("2026-03-31T23:59:59.999999Z", ["fact:first"]),
        (APRIL, ["fact:second"]),
        ("2026-04-20T00:00:00Z", ["fact:second"]),
        (MAY, ["fact:third"]),
    ],
)
def test_a_superseded_fact_comes_back_when_we_travel_to_before_it(scores: Rest, as_of: str, known: list[str]):
    assert scores.ids(subject="c:1", as_of=as_of) == known


def test_who_superseded_a_fact_is_told_only_from_the_instant_it_was_known(scores: Rest):
    assert scores.get("facts/fact:first", as_of=MARCH).json()["superseded_by"] is None
    assert scores.get("facts/fact:first", as_of=APRIL).json()["superseded_by"] == "fact:second"


def test_what_was_learned_late_was_not_known_before(rest: Rest):
    rest.imported(stored("late", validFrom="2026-01-01T00:00:00Z", recordedAt=MARCH))

    assert rest.ids(as_of="2026-02-01T00:00:00Z") == []
    assert rest.ids(as_of=MARCH, valid_at="2026-02-01T00:00:00Z") == ["fact:late"]


def test_validity_and_decay_are_judged_where_valid_at_says_and_knowledge_where_as_of_says(rest: Rest):
    rest.imported(
        stored("old", validUntil=APRIL, decay="0.5/31d", confidence=0.8, validFrom=MARCH, recordedAt=MARCH),
        stored("new", supersedes="fact:old", validFrom=MAY, recordedAt=MAY),
    )
    (row,) = rest.listed(as_of=APRIL, valid_at=MARCH)
    assert (row["@id"], row["effective_confidence"]) == ("fact:old", 0.8)

    (row,) = rest.listed(as_of=MARCH, valid_at=APRIL, include_expired="true")
    assert row["effective_confidence"] == pytest.approx(0.4, abs=1e-12)
    assert (row["validity_state"], row["superseded_by"]) == ("expired", None)

    (row,) = rest.listed(as_of=MAY, valid_at=MARCH)
    assert (row["@id"], row["validity_state"]) == ("fact:new", "not_yet_valid")


def test_a_validity_ends_at_its_end_and_not_a_microsecond_later(rest: Rest):
    rest.imported(stored("a", validUntil=MARCH))

    assert rest.ids(as_of="2026-02-28T23:59:59.999999Z") == ["fact:a"]
    assert rest.ids(as_of=MARCH) == []
    assert rest.listed(as_of=MARCH, include_expired="true")[0]["validity_state"] == "expired"


def test_a_fact_that_is_not_valid_yet_is_there_marked_and_does_not_grow(rest: Rest):
    rest.imported(stored("a", validFrom=MAY, decay="0.5/1d", confidence=0.8))
    (row,) = rest.listed(as_of=MARCH)

    assert (row["validity_state"], row["effective_confidence"]) == ("not_yet_valid", 0.8)


def test_the_future_forecasts_what_decays(rest: Rest):
    rest.written(decay="0.5/365d", confidence=1.0, subject="c:1")
    (row,) = rest.listed(subject="c:1", as_of="2199-01-01T00:00:00Z")
    assert row["band"] == "stale"


def test_a_fact_written_now_was_not_known_before(rest: Rest):
    rest.post("facts", live(validFrom="2020-01-01T00:00:00Z"))
    assert rest.ids(as_of="2026-01-01T00:00:00Z") == []
    assert len(rest.ids()) == 1
