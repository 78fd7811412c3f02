import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.rules.decay import LONGEST_WINDOW, SHORTEST_WINDOW, parse_decay


@pytest.mark.parametrize(
    ("text", "rate", "window"),
    [
        ("0.5/30d", 0.5, 30 * 86400),
        ("0.5/500ms", 0.5, 0.5),
        ("0.9/1.5d", 0.9, 129600),
        ("0.25/12h", 0.25, 43200),
        ("0.5/30m", 0.5, 1800),
        ("0.5/1mo", 0.5, 30 * 86400),
        ("0.5/1y", 0.5, 365 * 86400),
        ("0.5/2w", 0.5, 14 * 86400),
        ("0.5/10s", 0.5, 10),
        ("0.5/250us", 0.5, 250e-6),
        ("0.5/40ns", 0.5, 40e-9),
        ("00.50/007d", 0.5, 7 * 86400),
    ],
)
def test_a_decay_is_a_rate_for_a_window(text: str, rate: float, window: float):
    decay = parse_decay(text)

    assert (decay.rate, decay.text) == (rate, text)
    assert decay.window_seconds == pytest.approx(window, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        *["1/30d", "0/30d", "1.5/30d", "-0.5/30d", "+0.5/30d", "0.99999999999999999999/1d"],
        *["0.5/0d", "0.5/0.0s", "0.5/-1d", "0.5/d", "0.5/30", "0.5/", "/30d", "0.5", ""],
        *["0.5junk/30d", "0.5/30days", "0.5/30d ", " 0.5/30d", "0.5 / 30d", "0.5/30 d", "0.5/30d\n", "0.5/30d/1d"],
        *["0.5/30D", "0.5/1M", "0.5/1min", "0.5/1ys", ".5/30d", "0./30d", "0,5/30d", "5e-1/30d", "0.5/1e3s", "nan/1d"],
        *["0.5/infs", "٠.٥/30d", "0.5/３0d"],
        *["0." + "0" * 400 + "1/1d", "0.5/" + "9" * 400 + "d", "0.5/" + "9" * 90 + "d", "0.5/0." + "0" * 60 + "1ns"],
    ],
)
def test_what_is_no_decay_is_refused_with_a_reason(text: str):
    with pytest.raises(ValueError, match=r"^must "):
        parse_decay(text)


@given(st.text(max_size=30) | st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,40})?/[0-9]{1,40}(\.[0-9]{1,40})?[a-z]{1,2}"))
def test_whatever_is_read_stays_within_its_bounds(text: str):
    try:
        decay = parse_decay(text)
    except ValueError:
        return

    assert 0 < decay.rate < 1
    assert SHORTEST_WINDOW <= decay.window_seconds <= LONGEST_WINDOW
