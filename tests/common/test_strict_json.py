import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import Invalid, TooLarge
from common.jsonio import MAX_DEPTH, dumps, loads, require_storable

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(VALUES)
def test_every_storable_value_is_read_as_it_was_written(value: object):
    assert loads(dumps(value)) == value
    assert loads(dumps(value).encode()) == value
    assert loads(json.dumps(value)) == value
    assert require_storable(value) == len(dumps(value).encode())


@pytest.mark.parametrize(
    ("text", "field", "reason"),
    [
        ('{"statement": "x", "confidence": NaN}', "confidence", "finite"),
        ('{"object": {"limits": [0, -Infinity]}}', "object.limits.1", "finite"),
        ('{"object": 1e400}', "object", "finite"),
        ('{"source": "human://a", "source": "human://b"}', "source", "twice"),
        ('{"object": [{"a": 1, "a": 1}]}', "object.0.a", "twice"),
        ('{"object": ' + "7" * 4301 + "}", "object", "digits"),
        ('{"object": -' + "7" * 4301 + "}", "object", "digits"),
        (r'{"object": "a\u0000b"}', "object", "NUL"),
        (r'{"object": {"a\u0000b": 1}}', "object", "NUL"),
        (r'{"object": ["\ud800"]}', "object.0", "surrogate"),
        (r'{"object": "\udc00\ud800"}', "object", "surrogate"),
        ('{"object": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}", "object.0.0.0.0.0.0.0", "nested"),
    ],
)
def test_a_refused_value_is_named_by_its_path(text: str, field: str, reason: str):
    with pytest.raises(Invalid) as refusal:
        loads(text)

    assert [error.field for error in refusal.value.errors] == [field]
    assert reason in refusal.value.errors[0].detail


@pytest.mark.parametrize(
    "text", [b'"\xff"', '"\ud800"', "", "{} {}", "{'a': 1}", "[1,]", '"\0"', "\ufeff{}", "nul", '{"a" 1}', b"\x00"]
)
def test_what_is_not_json_is_refused(text: bytes | str):
    with pytest.raises(Invalid):
        loads(text)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_a_hundred_thousand_levels_are_refused_and_do_not_crash(opening: str):
    began = time.monotonic()

    with pytest.raises(Invalid, match="nested"):
        loads(opening * 100_000)

    assert time.monotonic() - began < 1


def test_the_bounds_themselves_are_allowed():
    assert loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert loads("7" * 4300) == int("7" * 4300)
    assert loads("-" + "7" * 4300) == -int("7" * 4300)


def test_many_brackets_side_by_side_are_not_depth():
    assert len(loads("[" + ",".join(["[]"] * 1000) + "]")) == 1000


def test_escapes_of_whole_characters_are_allowed():
    assert loads(r'"\ud83d\ude00 \\u0000 \\ud800"') == "😀 \\u0000 \\ud800"


def _endless() -> list[object]:
    endless: list[object] = []
    endless.append(endless)
    return endless


@pytest.mark.parametrize(
    "value", [{"a": float("nan")}, {"a": "\ud800"}, {"a": "b\0"}, {"a": {1, 2}}, {"a": _endless()}, {"a": b"b"}]
)
def test_input_that_arrives_parsed_meets_the_same_rules(value: object):
    with pytest.raises(Invalid) as refusal:
        require_storable(value)

    assert refusal.value.errors[0].field.startswith("a")


def test_a_limit_counts_the_bytes_of_the_written_value():
    assert require_storable("é", limit=4) == 4

    with pytest.raises(TooLarge):
        require_storable("é", limit=3)


def test_nothing_infinite_is_written():
    with pytest.raises(ValueError, match="JSON"):
        dumps(float("inf"))
