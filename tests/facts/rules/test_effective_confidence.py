import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.times import parse_instant
from memory.facts.rules.confidence import band, crossing, effective_confidence
from memory.facts.rules.decay import Decay, parse_decay

START = datetime(2026, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SHARES = st.floats(0, 1)
AGES = st.timedeltas(timedelta(0), timedelta(days=36500))
DECAYS = st.builds(
    lambda rate, window: Decay(rate, window, "drawn"),
    st.floats(0.001, 0.999),
    st.floats(1e-9, 1e10, allow_subnormal=False),
)


@pytest.mark.parametrize(
    ("confidence", "decay", "days", "left"),
    [
        (0.9, "0.5/24h", 1, 0.45),
        (0.9, "0.5/7d", 7, 0.45),
        (0.9, "0.5/30d", 90, 0.1125),
        (0.95, "0.5/30d", 30, 0.475),
        (0.9, "0.9/1d", 10, 0.9 * 0.9**10),
        (1.0, "0.25/12h", 0.25, 0.5),
        (0.9, "0.5/1.5d", 3, 0.225),
        (0.8, "0.5/1d", 0, 0.8),
        (0.8, "0.5/1d", -400, 0.8),
        (0.8, "0.5/1ms", 30, 0.0),
        (0.0, "0.5/1d", 1, 0.0),
    ],
)
def test_confidence_falls_by_the_rate_in_each_window(confidence: float, decay: str, days: float, left: float):
    at = START + timedelta(days=days)

    assert effective_confidence(confidence, parse_decay(decay), START, at) == pytest.approx(left, rel=1e-14)


@given(SHARES, st.datetimes(timezones=st.just(UTC)))
def test_without_decay_confidence_stays_for_ever(confidence: float, at: datetime):
    assert effective_confidence(confidence, None, START, at) == confidence


@given(SHARES, DECAYS, AGES)
def test_before_and_at_its_beginning_a_fact_has_its_whole_confidence(confidence: float, decay: Decay, age: timedelta):
    assert effective_confidence(confidence, decay, START + age, START) == confidence


@given(SHARES, DECAYS, AGES, AGES)
def test_confidence_never_rises_and_never_leaves_its_range(
    confidence: float, decay: Decay, age: timedelta, more: timedelta
):
    earlier = effective_confidence(confidence, decay, START, START + age)
    later = effective_confidence(confidence, decay, START, START + age + more)

    assert 0 <= later <= earlier * (1 + 1e-12) <= 1 + 1e-12


@pytest.mark.parametrize(
    ("value", "name"),
    [
        *[(1.0, "usable"), (0.7, "usable")],
        *[(math.nextafter(0.7, 0), "uncertain"), (0.69999, "uncertain"), (0.3, "uncertain")],
        *[(math.nextafter(0.3, 0), "stale"), (0.0, "stale")],
    ],
)
def test_bands_are_judged_on_the_unrounded_number(value: float, name: str):
    assert band(value) == name


def test_a_value_that_lands_on_an_edge_after_whole_windows_is_still_in_its_band():
    assert band(effective_confidence(0.6, parse_decay("0.5/30d"), START, START + timedelta(days=30))) == "uncertain"
    assert band(effective_confidence(1.0, parse_decay("0.7/1w"), START, START + timedelta(weeks=1))) == "usable"


@given(st.floats(0.31, 1), DECAYS, st.sampled_from([0.7, 0.3]))
def test_a_crossing_is_the_first_microsecond_below_the_threshold(confidence: float, decay: Decay, threshold: float):
    at = crossing(confidence, decay, START, threshold)

    if at is None:
        last = datetime.max.replace(tzinfo=UTC)
        assert confidence < threshold or effective_confidence(confidence, decay, START, last) >= threshold
    else:
        assert effective_confidence(confidence, decay, START, at) < threshold
        assert effective_confidence(confidence, decay, START, at - MICROSECOND) >= threshold


def test_a_half_life_later_the_crossing_of_the_half_has_just_come():
    at = crossing(0.6, parse_decay("0.5/30d"), START, 0.3)

    assert at is not None
    assert timedelta(0) < at - parse_instant("2026-01-31") < timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("confidence", "decay", "threshold"),
    [(0.9, None, 0.3), (0.2, "0.5/1d", 0.3), (0.9, "0.999999/9999y", 0.3), (0.9, "0.5/1d", 0.0)],
)
def test_what_never_falls_below_has_no_crossing(confidence: float, decay: str | None, threshold: float):
    assert crossing(confidence, parse_decay(decay) if decay else None, START, threshold) is None
