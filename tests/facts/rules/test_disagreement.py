"""When claims can't both hold, and which of them is preferred."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.chains import longest_path
from memory.facts.rules.disagreement import Claim, Rule, canonical, conflict_among, disagree

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def day(number: int) -> datetime:
    return NEW_YEAR + number * DAY


def claim(name: str = "a", value: Any = 1, *, negated: bool = False, **more: Any) -> Claim[None]:
    """A claim of the new year, valid without end."""
    times = {"recorded_at": NEW_YEAR, "valid_from": NEW_YEAR, "valid_until": None}
    stated: dict[str, Any] = times | {"effective": 0.9} | more
    return Claim(id=name, object=canonical(value), negated=negated, payload=None, **stated)


def no_chain(fact_id: str) -> int:
    return 0


@st.composite
def claims(draw: Callable[[Any], Any], most: int = 6) -> list[Claim[None]]:
    """Claims that collide often: few objects, few instants, few confidences."""
    return [
        claim(
            f"c{number}",
            draw(st.sampled_from([1, "x", None])),
            negated=draw(st.booleans()),
            recorded_at=day(draw(st.integers(0, 2))),
            effective=draw(st.sampled_from([0.2, 0.9])),
            valid_from=day(begin := draw(st.integers(0, 3))),
            valid_until=day(begin + length) if (length := draw(st.integers(0, 3))) else None,
        )
        for number in range(draw(st.integers(2, most)))
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_two_objects_disagree_and_one_does_not():
    assert disagree(claim(value="x"), claim(value="y"))
    assert not disagree(claim(value="x"), claim(value="x"))


def test_an_object_asserted_and_denied_disagrees():
    assert disagree(claim(value="x"), claim(value="x", negated=True))


def test_x_and_not_y_agree_and_so_do_not_x_and_not_y():
    assert not disagree(claim(value="x"), claim(value="y", negated=True))
    assert not disagree(claim(value="x", negated=True), claim(value="y", negated=True))


def test_several_values_of_a_multi_valued_predicate_agree_until_one_is_denied():
    assert not disagree(claim(value="x"), claim(value="y"), multi_valued=True)
    assert disagree(claim(value="x"), claim(value="x", negated=True), multi_valued=True)


def test_claims_that_are_never_valid_together_agree_and_the_end_is_not_within():
    first = claim(value="x", valid_until=day(10))

    assert not disagree(first, claim(value="y", valid_from=day(10)))
    assert disagree(first, claim(value="y", valid_from=day(10) - timedelta(microseconds=1)))


@given(claims(most=2), st.booleans())
def test_disagreeing_is_mutual_and_nothing_disagrees_with_itself(two: list[Claim[None]], several: bool):
    first, second = two

    assert disagree(first, second, multi_valued=several) == disagree(second, first, multi_valued=several)
    assert not disagree(first, first, multi_valued=several)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}),
        (1, 1.0),
        (0, -0.0),
        (10**300, 1e300),
        ([1.0, {"a": 2.0}], [1, {"a": 2}]),
    ],
)
def test_one_value_has_one_spelling(one: Any, other: Any):
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (True, 1),
        (False, 0),
        (None, 0),
        ("1", 1),
        ([1, 2], [2, 1]),
        ({}, []),
        ("", None),
        (1e300, 1e300 * 1.1),
        (1, 1.5),
    ],
)
def test_what_differs_in_json_differs(one: Any, other: Any):
    assert canonical(one) != canonical(other)


@given(JSON)
def test_a_spelling_spells_itself(value: Any):
    assert canonical(json.loads(canonical(value))) == canonical(value)


@given(st.dictionaries(st.text(), JSON, min_size=2, max_size=5))
def test_the_order_of_keys_carries_no_meaning(value: dict[str, Any]):
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@given(claims(), st.booleans())
def test_the_order_is_the_same_however_the_claims_come(given_claims: list[Claim[None]], several: bool):
    found = conflict_among(given_claims, no_chain, multi_valued=several)

    for other in list(permutations(given_claims))[:24]:
        assert conflict_among(other, no_chain, multi_valued=several) == found


@given(claims())
def test_those_who_disagree_are_ranked_once_each_and_nobody_else(given_claims: list[Claim[None]]):
    found = conflict_among(given_claims, no_chain)
    involved = {a.id for a in given_claims for b in given_claims if disagree(a, b)}

    ranked = [claim.id for claim in found.ranked] if found else []
    assert sorted(ranked) == sorted(involved)


@given(claims())
def test_of_any_two_that_stand_apart_the_same_one_is_better_whoever_else_is_there(given_claims: list[Claim[None]]):
    """So the order is total and transitive: it is the one of the pairs."""
    found = conflict_among(given_claims, no_chain)
    ranked = found.ranked if found else ()

    for place, better in enumerate(ranked):
        for worse in ranked[place + 1 :]:
            assert (better.negated, -better.recorded_at.timestamp(), -better.effective) <= (
                worse.negated,
                -worse.recorded_at.timestamp(),
                -worse.effective,
            )


RIVALS = [
    (Rule.ASSERTED, {"negated": False, "value": 1}, {"negated": True, "value": 1, "recorded_at": day(5)}),
    (Rule.NEWER, {"recorded_at": day(2), "effective": 0.1}, {"value": 2, "recorded_at": day(1), "effective": 0.9}),
    (Rule.SURER, {"effective": 0.8}, {"value": 2, "effective": 0.7}),
]


@pytest.mark.parametrize(("rule", "better", "worse"), RIVALS, ids=lambda value: getattr(value, "name", ""))
def test_each_rule_decides_only_where_those_before_it_do_not(rule: Rule, better: dict[str, Any], worse: dict[str, Any]):
    found = conflict_among([claim("worse", **worse), claim("better", **better)], no_chain)

    assert found is not None
    assert (found.rule, [claim.id for claim in found.ranked]) == (rule, ["better", "worse"])


def test_the_shorter_chain_decides_last_and_is_looked_up_for_equals_alone():
    asked: list[str] = []

    def chain_length(fact_id: str) -> int:
        asked.append(fact_id)
        return {"a": 2, "b": 1}[fact_id]

    found = conflict_among([claim("a"), claim("b", 2), claim("old", 3, recorded_at=NEW_YEAR - DAY)], chain_length)

    assert found is not None
    assert (found.rule, [claim.id for claim in found.ranked]) == (Rule.SHORTER, ["b", "a", "old"])
    assert set(asked) == {"a", "b"}


def test_a_full_tie_prefers_nothing():
    found = conflict_among([claim("b"), claim("a", 2)], no_chain)

    assert found is not None
    assert found.tied
    assert found.preferred is None
    assert not found.confidence_disagrees


def test_equal_claims_of_one_object_do_not_tie_against_an_older_one():
    found = conflict_among([claim("a"), claim("b"), claim("old", 2, recorded_at=NEW_YEAR - DAY)], no_chain)

    assert found is not None
    assert (found.rule, found.rival.id) == (Rule.NEWER, "old")
    assert found.preferred is not None
    assert found.preferred.id == "a"


def test_confidence_disagrees_when_a_claim_against_the_preferred_one_is_surer():
    newest, surer = claim("new", recorded_at=day(1), effective=0.4), claim("old", 2, effective=0.8)
    same = claim("same", effective=0.95)

    for others, disagrees in [([surer], True), ([same, claim("weak", 2, effective=0.1)], False)]:
        found = conflict_among([newest, *others], no_chain)
        assert found is not None
        assert found.confidence_disagrees is disagrees


def test_a_contradiction_begins_when_its_second_claim_stands():
    found = conflict_among(
        [claim("a"), claim("b", 2, recorded_at=day(3), valid_from=day(5)), claim("c", 3, recorded_at=day(9))], no_chain
    )

    assert found is not None
    assert found.since == day(5)


def test_a_chain_is_as_long_as_its_longest_way_and_not_as_many_parents_as_it_has():
    wide = {"a": ["r1", "r2", "r3"]}
    deep = {"b": ["c"], "c": ["d"]}
    diamond = {"a": ["b", "c"], "b": ["d"], "c": ["e"], "e": ["d"]}

    assert [longest_path("a", wide), longest_path("b", deep), longest_path("a", diamond)] == [1, 2, 3]
    assert longest_path("root", {}) == 0


def test_a_circle_of_facts_ends_and_a_chain_counts_64_steps_at_most():
    assert longest_path("a", {"a": ["b"], "b": ["a"]}) == 1
    assert longest_path("0", {str(n): [str(n + 1)] for n in range(200)}) == 64
