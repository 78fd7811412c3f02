"""Rules of writing, on whatever values there are."""

from hypothesis import given
from hypothesis import strategies as st

from memory.kip.language.tree import Arithmetics, Path, Variable
from memory.kip.rules.arithmetic import evaluate
from memory.kip.rules.instance_schema import violations
from memory.kip.rules.kinds import score_of, tau_of
from memory.kip.rules.values import merged, reserved_key, same, says_phi, unstorable

SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)


@given(VALUES, VALUES)
def test_values_are_like_themselves_and_both_ways(one, other):
    assert same(one, one)
    assert same(one, other) == same(other, one)


def test_numbers_are_alike_by_value_and_truth_is_no_number():
    assert same(1, 1.0)
    assert same(1e300, 10**300)
    assert not same(1, True)
    assert not same({"a": [0]}, {"a": [False]})
    assert not same(None, 0)
    assert not same("5", 5)


@given(st.dictionaries(st.text(), VALUES), st.dictionaries(st.text(), VALUES))
def test_the_later_level_wins_key_by_key_and_the_same_again_changes_nothing(low, high):
    found = merged(low, None, high)
    assert found == low | high
    assert merged(found, high) == found


@given(VALUES)
def test_what_is_forbidden_is_found_at_any_depth(value):
    assert reserved_key({"a": [value, {"b": {"_c": value}}]}) is not None
    assert says_phi([{"a": {"Classification": ["x", " phi "]}}, value])
    assert unstorable([value, {"a": "b\0"}]) is not None
    assert unstorable({"a\ud800": value}) is not None


@given(NUMBERS, NUMBERS)
def test_sums_are_numbers_that_json_can_hold_and_whole_ones_stay_whole(one, other):
    for function in ("ADD", "MUL"):
        result = evaluate(Arithmetics(function, (one, other), 0), {})
        assert result is None or unstorable(result) is None
        if isinstance(one, int) and isinstance(other, int) and abs(one) < 2**31 and abs(other) < 2**31:
            assert isinstance(result, int)


@given(NUMBERS, st.tuples(NUMBERS, NUMBERS).map(sorted))
def test_clamped_values_lie_within(value, bounds):
    result = evaluate(Arithmetics("CLAMP", (value, *bounds), 0), {})
    assert bounds[0] <= result <= bounds[1]


@given(VALUES)
def test_coalesce_takes_the_first_number_and_nothing_else_counts_as_one(value):
    path = Path(Variable("x", 0), ("attributes", "a"))
    result = evaluate(Arithmetics("COALESCE", (path, 7), 0), {"attributes": {"a": value}})
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    assert result == (value if is_number else 7)
    assert (evaluate(Arithmetics("ADD", (path, 0), 0), {"attributes": {"a": value}}) is None) or is_number


@given(VALUES, VALUES, VALUES)
def test_no_schema_and_no_value_is_too_odd_to_be_judged(schema, told, value):
    violations(schema, {"a": value})
    violations({"a": schema, "b": {"type": told, "enum": told, "item_type": told, "is_required": told}}, {"b": value})


@given(VALUES)
def test_strength_and_decay_stay_in_their_range_whatever_is_written(value):
    score = score_of({"memory_strength": value})
    assert score is None or 0 <= score <= 1
    assert 30 <= tau_of("Experience", {"salience_score": value}, 1.0) <= 60
