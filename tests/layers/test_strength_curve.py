"""Strength over time as points, and the day of fading in SQL as in Python."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.elements import run_sql
from memory.layers.rules.fading import curve, fades_sql
from memory.layers.rules.strength import Strength, effective, effective_sql, fades_at, recalled
from spaces.databases.entering import entered

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


@given(st.lists(st.floats(0, 40), min_size=1, max_size=8), st.floats(0, 100))
def test_a_curve_holds_the_strength_at_each_of_its_points_and_jumps_at_each_reinforcement(gaps, ahead):
    steps = [Strength(0.9, 14.0, BEGIN)]
    for gap in gaps:
        steps.append(recalled(steps[-1], steps[-1].scored_at + timedelta(days=gap), base_tau=14.0))
    points = curve(steps, steps[-1].scored_at + timedelta(days=ahead))
    assert [at for at, _ in points] == sorted(at for at, _ in points)
    assert points[0] == (BEGIN, 0.9)
    assert points[-1][1] == pytest.approx(effective(steps[-1], points[-1][0]))
    assert all(0 <= strength <= 1 for _, strength in points)
    for step in steps:
        assert (step.scored_at, step.score) in points


def test_nothing_that_was_ever_set_has_no_curve():
    assert curve([], BEGIN) == []


CASES = [
    Strength(1.0, 14.0, BEGIN),
    Strength(0.05, 14.0, BEGIN),
    Strength(0.0, 14.0, BEGIN),
    Strength(0.7, 0.1, BEGIN),
    Strength(1.0, 45.0, BEGIN, pinned=True),
    Strength(1.0, math.inf, BEGIN),
    Strength(1e-300, 14.0, BEGIN),
    Strength(1.0, 400_000.0, BEGIN),
    Strength(1.0, 1e12, BEGIN),
]


@pytest.mark.parametrize("strength", CASES)
def test_the_database_reckons_strength_and_the_day_of_fading_as_the_rules_do(north, strength):
    at = BEGIN + timedelta(days=30)
    row = (
        "(select %(score)s::float8 score, %(tau)s::float8 tau, %(scored_at)s::timestamptz scored_at, %(pinned)s pinned)"
    )
    with entered(north):
        now, fades = run_sql(
            f"select {effective_sql('t', '%(at)s::timestamptz')}, {fades_sql('t', '%(threshold)s::float8')}"
            f" from {row} t",
            vars_of(strength) | {"at": at, "threshold": 0.05},
        )[0]
    assert now == pytest.approx(effective(strength, at), abs=1e-12)
    expected = fades_at(strength, 0.05)
    if expected is not None and expected > BEGIN + timedelta(seconds=2e11):
        expected = None
    assert (fades is None) == (expected is None)
    if expected is not None:
        assert abs(fades - expected) < timedelta(milliseconds=1)


def vars_of(strength):
    return {name: getattr(strength, name) for name in ("score", "tau", "scored_at", "pinned")}
