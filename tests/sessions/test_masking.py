"""What masking promises whatever the secret: nothing else changes, twice is once, nothing makes it fail."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.sessions.masking import mask
from memory.sessions.masking.spans import KINDS, MARKER, Span, united, written_over
from tests.sessions.test_masking_innocents import INNOCENT, lines
from tests.sessions.test_masking_shapes import FIRST_LIST, LETTERS, SECRETS, filled, of, shapes

PIECES = [
    *(filled(template, 0)[0] for _, template in shapes(FIRST_LIST)),
    *lines(INNOCENT),
    *(f"[secret: {kind}]" for kind in KINDS),
    *(
        "password",
        " is ",
        ": ",
        "=",
        '"',
        "`",
        "**",
        "\n",
        " ",
        "'",
        "\u200b",
        "%3D",
        "&quot;",
        '\\"',
        "\ufffc",
        "[secret: ",
    ),
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=8).map("".join))
def test_what_is_masked_is_not_masked_again(text):
    masked = mask(text)

    assert mask(masked.text) == (masked.text, {})
    assert set(masked.counts) <= set(KINDS)
    assert bool(masked.counts) == (masked.text != text)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=8).map("".join))
def test_all_that_stays_stands_in_the_text_in_its_order(text):
    place = 0
    for piece in MARKER.split(mask(text).text):
        place = text.index(piece, place) + len(piece)


def test_the_marker_has_the_kind_and_the_text_around_keeps_each_character():
    assert mask("  the password is\tBlue-Horse7 ,\r\n ok\u00a0\n") == (
        "  the password is\t[secret: password] ,\r\n ok\u00a0\n",
        {"password": 1},
    )


def test_each_secret_of_a_text_is_counted_by_its_kind():
    masked = mask("my PIN is 4711, the password is Walrus-77 and the wifi password is Copper-88")

    assert masked.text == (
        "my PIN is [secret: PIN], the password is [secret: password] and the wifi password is [secret: password]"
    )
    assert masked.counts == {"PIN": 1, "password": 2}


def test_a_marker_that_somebody_wrote_stays_and_is_not_counted():
    assert mask("the password is [secret: password]") == ("the password is [secret: password]", {})


def test_a_key_broken_by_characters_of_no_width_is_masked_with_them():
    key = "gh\u200bp_" + "Ab3" * 6 + "\u2060" + "Cd4" * 6

    assert mask(f"take {key}!") == ("take [secret: provider key]!", {"provider key": 1})


@pytest.mark.parametrize("length", [300, 5_000, 20_000])
def test_no_end_of_a_very_long_secret_is_left(length):
    long = of(LETTERS, length, random.Random(length))

    for text in (f"password={long}", f"sk-{long}", f"Authorization: Bearer {long}", f"https://a.example/?token={long}"):
        assert long[-8:] not in mask(text).text


def test_a_block_of_a_private_key_ends_where_its_lines_end():
    key = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQ7aB3" * 6 + "\n" + "Zx9Kq2" * 10 + "\n"

    assert mask(f"{key}and then we had lunch").text == "[secret: private key]\nand then we had lunch"


UNITS = [
    *(
        "a-",
        "password ",
        "password is ",
        "pw=",
        "api_key=",
        "https://a:",
        "a@",
        "code is ",
        "1234 ",
        "12-",
        "eyJ",
        "sk-",
    ),
    *("recovery codes: a1b2-c3d4 ", "abandon ", "-----BEGIN PRIVATE KEY-----\n", " -p", "mysql -u a ", "Cookie: a=b;"),
    *(
        "[secret: PIN]",
        "\\n",
        "%3D",
        "'",
        "`",
        "use a as the password ",
        "log in with a / ",
        "kind: Secret\ndata:\n a: b\n",
    ),
]


@pytest.mark.parametrize("unit", UNITS)
def test_sixty_thousand_characters_of_a_rule_s_beginning_come_to_an_end(unit):
    text = unit * (60_000 // len(unit))
    masked = mask(text)

    assert mask(masked.text[:6_000]).text


@given(st.text(alphabet="ab1 .", max_size=30), st.data())
def test_spans_are_united_in_order_and_apart(text, data):
    places = st.integers(0, len(text))
    drawn = data.draw(st.lists(st.tuples(places, places, st.sampled_from(KINDS))))
    spans = united([Span(min(a, b), max(a, b), kind) for a, b, kind in drawn if a != b], text)

    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert written_over(text, []) == text


def test_overlapping_spans_take_the_kind_of_the_first_family():
    assert united([Span(4, 8, "token"), Span(0, 6, "password")], "abcdefghij klm") == [Span(0, 10, "token")]


def test_the_generators_of_secrets_are_all_used():
    assert all(f"{{{name}}}" in FIRST_LIST for name in SECRETS)
