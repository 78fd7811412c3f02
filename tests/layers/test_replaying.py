"""Strength from its history: with nothing undone it is what it is, with something undone what it would have been."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.replaying import Turn, replayed
from memory.layers.rules.strength import Strength, effective, nudged, recalled, repeated

START = datetime(2026, 1, 1, tzinfo=UTC)
LAYERS = st.sampled_from([1, 2])
# Each turn: what happened, hours after the one before, and whether it is to be undone.
STEPS = st.lists(
    st.tuples(st.sampled_from(["recall", "duplicate", "pinned", "unpinned", "archived"]), st.integers(0, 2_000)),
    max_size=8,
)


def after(layer: int, strength: Strength, kind: str, at: datetime) -> Strength:
    """One turn by the formulas."""
    if kind in ("recall", "duplicate"):
        return repeated(layer, strength, at, base_tau=14)
    if kind == "pinned":
        return Strength(effective(strength, at), strength.tau, at, True)
    if kind == "unpinned":
        return Strength(strength.score, strength.tau, at, False)
    return strength


def history(layer: int, steps: list[tuple[str, int]], left_out: frozenset[int] = frozenset()) -> list[Strength]:
    found, at = [Strength(0.8, 14.0, START)], START
    for number, (kind, hours) in enumerate(steps):
        at += timedelta(hours=hours)
        found.append(found[-1] if number in left_out else after(layer, found[-1], kind, at))
    return found


def turns(layer: int, steps: list[tuple[str, int]], undone: frozenset[int] = frozenset()) -> list[Turn]:
    strengths, at = history(layer, steps), START
    made = [Turn("formed", START, 0.8, 14.0, False)]
    for number, (kind, hours) in enumerate(steps):
        at += timedelta(hours=hours)
        now = strengths[number + 1]
        made.append(Turn(kind, at, effective(now, at), now.tau, now.pinned, number in undone))
    return made


@given(LAYERS, STEPS)
def test_with_nothing_undone_it_is_the_strength_that_was(layer: int, steps: list[tuple[str, int]]):
    for expected, found in zip(history(layer, steps), replayed(layer, turns(layer, steps)), strict=True):
        assert (found.tau, found.scored_at, found.pinned) == (expected.tau, expected.scored_at, expected.pinned)
        assert found.score == pytest.approx(expected.score)


@given(LAYERS, STEPS, st.data())
def test_with_turns_undone_it_is_as_if_they_had_never_been(
    layer: int, steps: list[tuple[str, int]], data: st.DataObject
):
    said_again = [number for number, (kind, _) in enumerate(steps) if kind == "duplicate"]
    undone = frozenset(data.draw(st.sets(st.sampled_from(said_again)))) if said_again else frozenset()
    expected = history(layer, steps, undone)[-1]
    found = replayed(layer, turns(layer, steps, undone))[-1]
    assert (found.tau, found.scored_at, found.pinned) == (expected.tau, expected.scored_at, expected.pinned)
    assert found.score == pytest.approx(expected.score)


def test_what_a_person_set_is_taken_as_it_was_set():
    history = [
        Turn("formed", START, 1.0, 14.0, False),
        Turn("duplicate", START, 1.0, 21.0, False, undone=True),
        Turn("restored", START + timedelta(days=90), 0.5, 21.0, False),
        Turn("recall", START + timedelta(days=90), 0.55, 28.0, False),
    ]
    last = replayed(1, history)[-1]
    assert last.score == pytest.approx(0.55)
    assert last.tau == 28.0


def test_a_concept_never_changes():
    history = [Turn("formed", START, 1.0, math.inf, False), Turn("duplicate", START, 1.0, math.inf, False)]
    assert replayed(3, history)[-1] == Strength(1.0, math.inf, START)


def test_there_is_no_strength_without_a_beginning():
    with pytest.raises(ValueError, match="formed"):
        replayed(1, [])


def test_a_clock_that_was_set_back_takes_nothing_away():
    later = Strength(0.5, 14.0, START)
    assert nudged(later, START - timedelta(days=3)).scored_at == START
    assert recalled(later, START - timedelta(days=3), base_tau=14) == Strength(0.55, 21.0, START)
