"""The confidence curve: what it draws, what it says, and that no date or decay breaks it."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.rules.confidence import effective_confidence
from memory.facts.rules.curve import BOTTOM, LEFT, RIGHT, TOP, Curve, confidence_curve
from memory.facts.rules.decay import Decay, parse_decay

LISBON = ZoneInfo("Europe/Lisbon")
NOW = datetime(2026, 11, 30, 9, 40, 12, tzinfo=UTC)
WRITTEN = datetime(2026, 10, 12, 8, 19, 44, tzinfo=UTC)
SLOW = parse_decay("0.90/90d")


def drawn(curve: Curve) -> list[tuple[float, float]]:
    """Every point of the line, from left to right."""
    return [
        tuple(float(number) for number in point.split(","))  # type: ignore[misc]
        for segment in curve.segments
        for point in segment.points.split()
    ]


def value_of(y: float) -> float:
    return (BOTTOM - y) / (BOTTOM - TOP)


def test_the_title_says_the_fall_in_words_with_its_dates_in_the_zone_of_the_space():
    assert confidence_curve(0.95, SLOW, WRITTEN, NOW, LISBON).title == (
        "Effective confidence falls from 0.9500 on 12 Oct 2026 through 0.7 on 30 Jun 2027 to 0.3 on 23 Jun 2029."
    )


def test_the_line_passes_through_the_bands_in_their_order():
    assert [segment.band for segment in confidence_curve(0.95, SLOW, WRITTEN, NOW).segments] == [
        "usable",
        "uncertain",
        "stale",
    ]


def test_a_segment_ends_where_the_next_begins_so_that_the_line_has_no_gap():
    segments = confidence_curve(0.95, SLOW, WRITTEN, NOW).segments
    for before, after in pairwise(segments):
        assert before.points.split()[-1] == after.points.split()[0]


def test_the_dots_of_the_falls_lie_on_their_thresholds():
    usable, uncertain = confidence_curve(0.95, SLOW, WRITTEN, NOW, LISBON).crossings
    assert (usable.y, uncertain.y) == (80.2, 157.8)
    assert (usable.label, uncertain.label) == ("30 Jun 2027", "23 Jun 2029")


def test_the_point_of_now_lies_on_the_line_at_the_number_it_names():
    now = confidence_curve(0.95, SLOW, WRITTEN, NOW).now
    assert now.label == "now 0.8970"
    assert value_of(now.y) == pytest.approx(0.8970, abs=0.001)


def test_without_decay_the_line_is_flat_and_falls_nowhere():
    curve = confidence_curve(0.95, None, WRITTEN, NOW)
    assert {y for _, y in drawn(curve)} == {31.7}
    assert (curve.crossings, curve.usable_until, curve.uncertain_until) == ([], None, None)
    assert curve.title == "Effective confidence stays at 0.9500 from 12 Oct 2026."


def test_a_fact_that_begins_below_a_threshold_does_not_fall_through_it():
    assert confidence_curve(0.6, SLOW, WRITTEN, NOW).title == (
        "Effective confidence falls from 0.6000 on 12 Oct 2026 to 0.3 on 26 May 2028."
    )
    assert [segment.band for segment in confidence_curve(0.25, SLOW, WRITTEN, NOW).segments] == ["stale"]


def test_before_it_is_valid_the_line_is_flat_and_the_title_says_since_when():
    valid_from = NOW + timedelta(days=30)
    curve = confidence_curve(0.9, parse_decay("0.5/30d"), valid_from, NOW)
    begin = LEFT + (RIGHT - LEFT) * 30 / ((curve.uncertain_until - NOW).total_seconds() / 86_400 / 0.82)
    assert {y for x, y in drawn(curve) if x < begin - 1} == {41.4}
    assert curve.title.endswith("It is not valid before 30 Dec 2026.")


def test_a_fall_within_milliseconds_is_a_cliff_and_now_is_still_on_the_picture():
    curve = confidence_curve(0.95, parse_decay("0.5/1ms"), WRITTEN, NOW)
    assert [segment.band for segment in curve.segments] == ["usable", "uncertain", "stale"]
    assert LEFT < curve.now.x < RIGHT
    assert curve.now.label == "now 0.0000"


def test_seen_at_once_a_fall_within_milliseconds_has_an_axis_of_a_minute():
    labels = [tick.label for tick in confidence_curve(0.95, parse_decay("0.5/1ms"), NOW, NOW).ticks]
    assert labels[:2] == ["09:40:20", "09:40:30"]


def test_a_fall_before_the_first_day_of_the_picture_is_not_named():
    curve = confidence_curve(0.8, parse_decay("0.5/1d"), datetime(1, 1, 1, tzinfo=UTC), NOW)
    assert curve.crossings == []
    assert curve.title.startswith("Effective confidence falls from 0.8000 on 3 Jan 1 to 0.0000 on ")


def test_a_fall_over_millennia_is_drawn_for_a_century():
    curve = confidence_curve(0.95, parse_decay("0.99/100y"), WRITTEN, NOW)
    assert [tick.label for tick in curve.ticks] == ["2040", "2060", "2080", "2100", "2120", "2140"]
    assert curve.crossings == []
    assert curve.usable_until is not None
    assert curve.usable_until.year > 2126


def test_the_axis_is_round_in_the_zone_of_the_space():
    new_york = ZoneInfo("America/New_York")
    hours = confidence_curve(0.9, parse_decay("0.5/1h"), NOW - timedelta(hours=1), NOW, new_york).ticks
    assert [tick.label for tick in hours] == ["04:00", "04:30", "05:00", "05:30"]


def test_where_the_clock_is_put_back_the_ticks_keep_moving_forward():
    midnight = datetime(2026, 10, 24, 23, 0, tzinfo=UTC)
    ticks = confidence_curve(0.9, parse_decay("0.5/1h"), midnight, midnight, LISBON).ticks
    places = [tick.x for tick in ticks]
    assert places == sorted(set(places))


def test_a_label_never_runs_out_of_the_plot_to_the_right():
    for days in range(0, 400, 7):
        curve = confidence_curve(0.95, parse_decay("0.5/30d"), NOW - timedelta(days=days), NOW)
        for dot in [curve.now, *curve.crossings]:
            assert dot.anchor == "end" or dot.label_x + 6.4 * len(dot.label) <= RIGHT


instants = st.datetimes(timezones=st.just(UTC))
decays = st.none() | st.builds(
    lambda rate, window: Decay(rate, window, "0.5/30d"),
    st.floats(1e-9, 1 - 1e-9),
    st.floats(1e-15, 1e15),
)


@given(st.floats(0, 1), decays, instants, instants, st.sampled_from([UTC, LISBON, ZoneInfo("Pacific/Kiritimati")]))
def test_no_decay_and_no_date_breaks_the_picture(confidence, decay, valid_from, now, zone):
    curve = confidence_curve(confidence, decay, valid_from, now, zone)
    points = drawn(curve)
    assert all(LEFT <= x <= RIGHT and TOP <= y <= BOTTOM for x, y in points)
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert [y for _, y in points] == sorted(y for _, y in points)
    assert len(curve.ticks) <= 8
    assert all(LEFT <= tick.x <= RIGHT for tick in curve.ticks)


def test_the_line_agrees_with_the_formula_between_its_corners():
    curve = confidence_curve(0.95, SLOW, WRITTEN, NOW)
    axis = (curve.uncertain_until - WRITTEN) / 0.82
    for x, y in drawn(curve):
        at = WRITTEN + axis * ((x - LEFT) / (RIGHT - LEFT))
        assert value_of(y) == pytest.approx(effective_confidence(0.95, SLOW, WRITTEN, at), abs=0.002)
