import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.rules.decay import LONGEST_WINDOW, SHORTEST_WINDOW, decay_words, parse_decay


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


UNITS = {
    "nanosecond": 1e-9, "microsecond": 1e-6, "millisecond": 1e-3, "second": 1, "minute": 60, "hour": 3_600,
    "day": 86_400, "week": 604_800,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0.5/14d", "halves every 14 days"),
        ("0.50/1d", "halves every day"),
        ("0.9/90d", "keeps 90 % every 90 days"),
        ("0.975/1.5h", "keeps 97.5 % every 1.5 hours"),
        ("0.98/2mo", "keeps 98 % every 60 days"),
        ("0.8/1y", "keeps 80 % every 365 days"),
        ("0.0001/250us", "keeps 0.01 % every 250 microseconds"),
        ("0.10/10d", "keeps 10 % every 10 days"),
    ],
)
def test_a_decay_is_said_in_words(text: str, words: str):
    assert decay_words(text) == words


digits = st.from_regex(r"[0-9]{1,12}(\.[0-9]{1,12})?", fullmatch=True)
units = st.sampled_from(["ns", "us", "ms", "s", "m", "h", "d", "w", "mo", "y"])


@given(st.from_regex(r"0\.[0-9]{1,18}", fullmatch=True), digits, units)
def test_the_words_say_the_same_rate_and_window_as_the_text(rate: str, window: str, unit: str):
    try:
        decay = parse_decay(f"{rate}/{window}{unit}")
    except ValueError:
        with pytest.raises(ValueError, match="must"):
            decay_words(f"{rate}/{window}{unit}")
        return

    found = re.fullmatch(r"(halves|keeps ([0-9.]+) %) every (?:([0-9.]+) )?([a-z]+)", decay_words(decay.text))

    assert found is not None
    _, percent, count, word = found.groups()
    assert word.endswith("s") == (count is not None)
    assert float(percent or 50) / 100 == pytest.approx(decay.rate, rel=1e-12)
    assert float(count or 1) * UNITS[word.removesuffix("s")] == pytest.approx(decay.window_seconds, rel=1e-12)
