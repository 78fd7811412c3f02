"""Who would have been preferred at another instant, and from when on."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memory.facts.rules.decay import Decay, parse_decay
from memory.facts.rules.disagreement import Rule, conflict_among
from memory.facts.rules.preference import Spell, Stretch, stretches
from tests.facts.rules.test_disagreement import DAY, NEW_YEAR, claim, day, no_chain

MICROSECOND = timedelta(microseconds=1)


def spell(
    name: str,
    value: Any = 1,
    *,
    confidence: float = 0.9,
    decay: Decay | None = None,
    superseded_at: datetime | None = None,
    **more: Any,
) -> Spell:
    return Spell(claim(name, value, **more), confidence, decay, superseded_at)


def said(found: Sequence[Stretch]) -> list[tuple[datetime, str, str | None]]:
    return [(stretch.begin, stretch.state, stretch.first) for stretch in found]


def judged(spells: Sequence[Spell], at: datetime) -> tuple[str, str | None, Rule | None]:
    """The same question, asked at one instant."""
    standing = [claim for spell in spells if (claim := spell.at(at))]
    conflict = conflict_among(standing, no_chain)
    if conflict is None:
        alone = standing[0].id if len(standing) == 1 else None
        return ("agreed" if standing else "nothing"), alone, None
    if conflict.preferred is None:
        return "tied", None, conflict.rule
    return "preferred", conflict.preferred.id, conflict.rule


@st.composite
def spells(draw: Callable[[Any], Any]) -> list[Spell]:
    """Spells that often share an instant, with curves that cross."""
    found = []
    for number in range(draw(st.integers(1, 4))):
        begin, length = draw(st.integers(0, 4)), draw(st.integers(0, 30))
        recorded, stood = draw(st.integers(0, 1)), draw(st.integers(0, 30))
        found.append(
            spell(
                f"s{number}",
                draw(st.sampled_from(["x", "y"])),
                negated=draw(st.integers(0, 5)) == 0,
                confidence=draw(st.sampled_from([0.0, 0.5, 0.8, 0.9])),
                decay=draw(st.sampled_from([None, parse_decay("0.5/10d"), parse_decay("0.9/3d")])),
                recorded_at=day(recorded),
                valid_from=day(begin),
                valid_until=day(begin + length) if length else None,
                superseded_at=day(recorded + stood) if stood else None,
            )
        )
    return found


@given(spells(), st.lists(st.floats(-1, 60), max_size=20))
def test_between_its_turns_nothing_changes(given_spells: list[Spell], days: list[float]):
    found = stretches(given_spells, no_chain)
    begins = [stretch.begin for stretch in found]

    for at in (*begins, *(NEW_YEAR + number * DAY for number in days)):
        # Within a microsecond of where two curves cross, rounding may say one or the other.
        if any(abs(at - begin) <= 2 * MICROSECOND for begin in begins):
            continue
        stretch = next((stretch for stretch in reversed(found) if stretch.begin <= at), None)
        expected = (stretch.state, stretch.first, stretch.rule) if stretch else ("nothing", None, None)
        assert judged(given_spells, at) == expected


@given(spells())
def test_stretches_follow_each_other_and_differ(given_spells: list[Spell]):
    found = stretches(given_spells, no_chain)

    for before, after in pairwise(found):
        assert before.begin < after.begin
        assert (before.state, before.first, before.rule) != (after.state, after.first, after.rule)


def test_a_newer_record_is_preferred_from_when_it_is_known_until_it_is_superseded():
    found = stretches([spell("old", "x"), spell("new", "y", recorded_at=day(3), superseded_at=day(9))], no_chain)

    assert said(found) == [(day(0), "agreed", "old"), (day(3), "preferred", "new"), (day(9), "agreed", "old")]


def test_a_claim_counts_only_while_it_is_valid():
    found = stretches(
        [spell("a", "x", recorded_at=day(1)), spell("b", "y", valid_from=day(5), valid_until=day(7))], no_chain
    )

    assert said(found) == [
        (day(0), "nothing", None),
        (day(1), "agreed", "a"),
        (day(5), "preferred", "a"),
        (day(7), "agreed", "a"),
    ]


def test_of_claims_recorded_at_once_the_one_that_fades_loses_when_the_curves_cross():
    found = stretches(
        [spell("fades", "x", confidence=0.8, decay=parse_decay("0.5/10d")), spell("stays", "y", confidence=0.4)],
        no_chain,
    )

    first, *_, last = [stretch for stretch in found if stretch.state == "preferred"]
    assert (first.first, last.first) == ("fades", "stays")
    assert abs(last.begin - day(10)) <= 2 * MICROSECOND


def test_confidence_changes_nothing_between_claims_recorded_apart():
    found = stretches(
        [
            spell("new", "x", decay=parse_decay("0.5/1d"), recorded_at=day(1)),
            spell("old", "y", confidence=0.5),
        ],
        no_chain,
    )

    assert said(found) == [(day(0), "agreed", "old"), (day(1), "preferred", "new")]


def test_no_claim_at_all_has_no_turns():
    assert stretches([], no_chain) == []
