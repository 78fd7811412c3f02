"""The picture of a memory's strength: where its lines run and what is written beside them."""

import math
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.strength import Strength, fades_at
from memory.layers.rules.strength_drawing import BOTTOM, LEFT, RIGHT, TOP, strength_curve

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = AT + timedelta(days=10)


def points(line: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, _, y in (pair.partition(",") for pair in line.split())]


def drawn(*steps: Strength, now: datetime = LATER, threshold: float = 0.05, other: Strength | None = None):
    return strength_curve(steps, now, threshold, other=other, zone=UTC)


def test_it_falls_from_the_day_it_was_formed_through_now_to_the_day_it_fades():
    curve = drawn(Strength(1.0, 14.0, AT))
    past, ahead = points(curve.past), points(curve.ahead)
    assert past[0] == (LEFT, TOP)
    assert past[-1] == ahead[0] == (curve.now.x, curve.now.y)
    assert [y for _, y in past + ahead] == sorted(y for _, y in past + ahead)
    assert curve.fades.label == "fades 12 Apr 2026"
    assert curve.fades.x <= RIGHT
    assert curve.title == (
        "Strength was 1.00 on 1 Mar 2026 and is 0.49 now. It falls below its threshold on 12 Apr 2026."
    )


def test_a_reinforcement_is_a_step_up():
    curve = drawn(Strength(1.0, 14.0, AT), Strength(0.9, 21.0, AT + timedelta(days=7)))
    heights = [y for _, y in points(curve.past)]
    assert any(later < earlier for earlier, later in pairwise(heights))
    assert "was set anew 1 time" in curve.title


def test_what_never_fades_is_level_and_says_so():
    for step in (Strength(0.8, math.inf, AT), Strength(0.8, 14.0, AT, pinned=True)):
        curve = drawn(step)
        assert {y for _, y in points(curve.past) + points(curve.ahead)} == {round(BOTTOM - 0.8 * (BOTTOM - TOP), 1)}
        assert curve.fades is None
        assert curve.title.endswith("It does not fade.")


def test_another_tau_is_a_line_of_its_own_with_its_own_day():
    curve = drawn(Strength(1.0, 14.0, AT), other=Strength(1.0, 28.0, AT))
    assert points(curve.other)[-1][0] > curve.fades.x
    assert curve.other_fades.label == "then 24 May 2026"


instants = st.integers(-4_000, 4_000).map(lambda hours: AT + timedelta(hours=hours))
strengths = st.builds(
    Strength, st.floats(0, 1), st.one_of(st.floats(0.1, 40_000), st.just(math.inf)), instants, st.booleans()
)


@given(st.lists(strengths, min_size=1, max_size=5), instants, st.floats(0, 0.9), st.none() | strengths)
def test_nothing_is_drawn_outside_the_frame(steps, now, threshold, other):
    steps = sorted(steps, key=lambda step: step.scored_at)
    now = max(now, steps[-1].scored_at)
    curve = drawn(*steps, now=now, threshold=threshold, other=other)
    for x, y in points(curve.past) + points(curve.ahead) + points(curve.other):
        assert LEFT <= x <= RIGHT
        assert TOP <= y <= BOTTOM
    for mark in (curve.now, curve.fades, curve.other_fades):
        assert mark is None or LEFT <= mark.x <= RIGHT
    if curve.fades is not None:
        assert fades_at(steps[-1], threshold) is not None
