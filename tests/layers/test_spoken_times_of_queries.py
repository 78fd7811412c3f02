import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.spoken import Period, mentioned_periods


@pytest.mark.parametrize(
    ("query", "periods"),
    [
        ("What did Ana plant in May 2024?", [Period(2024, 5, None)]),
        ("Who called on 7 May 2024?", [Period(2024, 5, 7)]),
        ("Who called on May 7, 2024?", [Period(2024, 5, 7)]),
        ("Who called on the 7th of May?", [Period(None, 5, 7)]),
        ("who called on june 3", [Period(None, 6, 3)]),
        ("what failed on 2024-05-01", [Period(2024, 5, 1)]),
        ("what failed in 2024-05", [Period(2024, 5, None)]),
        ("the 2021 trip", [Period(2021, None, None)]),
        ("trips in October", [Period(None, 10, None)]),
        ("trips in march", [Period(None, 3, None)]),
        ("since may", [Period(None, 5, None)]),
        ("between June 2023 and 4 July 2024", [Period(2023, 6, None), Period(2024, 7, 4)]),
    ],
)
def test_a_question_names_its_dates(query, periods):
    assert mentioned_periods(query) == periods


@pytest.mark.parametrize(
    "query",
    ["may I ask", "what may help", "the march of time", "last week", "2000 words", "room 20245", "$2019", "", "1999.5"],
)
def test_a_question_without_a_date_names_none(query):
    assert mentioned_periods(query) == []


@given(st.text(max_size=200))
def test_whatever_is_asked_periods_are_in_range(query):
    for period in mentioned_periods(query):
        assert period.year is None or 1900 <= period.year <= 2099
        assert period.month is None or 1 <= period.month <= 12
        assert period.day is None or (1 <= period.day <= 31 and period.month is not None)
        assert period != Period(None, None, None)
