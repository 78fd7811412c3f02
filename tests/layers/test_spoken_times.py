"""Times as they are told. Said on Wednesday, 14 May 2025, at 10:30 UTC unless a test says otherwise."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.rules.proposals import SpokenTime
from memory.layers.rules.spoken import spoken_times

WEDNESDAY = datetime(2025, 5, 14, 10, 30, tzinfo=UTC)


def told(text: str, at: datetime = WEDNESDAY) -> list[tuple[str, str, str, str]]:
    return [(t.words, _day(t.begins), _day(t.ends), t.grain) for t in spoken_times(text, at)]


def _day(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d}" if instant.hour == instant.minute == 0 else f"{instant:%Y-%m-%dT%H:%M}"


ONE = [
    # Dates with their year.
    ("We met on 2025-04-23.", "2025-04-23", "2025-04-23", "2025-04-24", "day"),
    ("Standup at 2025-04-23T10:00Z.", "2025-04-23T10:00Z", "2025-04-23T10:00", "2025-04-23T10:01", "instant"),
    ("Backup of 2025-04-23 10:00 failed", "2025-04-23 10:00", "2025-04-23T10:00", "2025-04-23T10:01", "instant"),
    ("Call at 2025-04-23T10:00+02:00", "2025-04-23T10:00+02:00", "2025-04-23T08:00", "2025-04-23T08:01", "instant"),
    ("I moved on May 7, 2021.", "May 7, 2021", "2021-05-07", "2021-05-08", "day"),
    ("I moved on May 7th 2021.", "May 7th 2021", "2021-05-07", "2021-05-08", "day"),
    ("Born 3 June 1990.", "3 June 1990", "1990-06-03", "1990-06-04", "day"),
    ("The 7th of March, 2024 was cold.", "7th of March, 2024", "2024-03-07", "2024-03-08", "day"),
    ("Signed 13.04.2023 in town", "13.04.2023", "2023-04-13", "2023-04-14", "day"),
    ("Signed 13/04/2023 in town", "13/04/2023", "2023-04-13", "2023-04-14", "day"),
    ("Signed 04/13/2023 in town", "04/13/2023", "2023-04-13", "2023-04-14", "day"),
    ("It opened in June 2019.", "June 2019", "2019-06-01", "2019-07-01", "month"),
    ("It opened in early June 2019.", "early June 2019", "2019-06-01", "2019-06-11", "span"),
    ("in late 2022 we closed", "late 2022", "2022-09-01", "2023-01-01", "span"),
    ("In 2019 I lived there.", "2019", "2019-01-01", "2020-01-01", "year"),
    ("I have sung since 2015.", "2015", "2015-01-01", "2016-01-01", "year"),
    ("I lived there from 2015 to 2018.", "2015 to 2018", "2015-01-01", "2019-01-01", "span"),
    ("The 1990s were loud.", "1990s", "1990-01-01", "2000-01-01", "span"),
    ("We met in the 90s.", "90s", "1990-01-01", "2000-01-01", "span"),
    ("Revenue of Q3 2024 fell.", "Q3 2024", "2024-07-01", "2024-10-01", "span"),
    # Dates without a year.
    ("We met on May 3.", "May 3", "2025-05-03", "2025-05-04", "day"),
    ("We met on 20 May.", "20 May", "2024-05-20", "2024-05-21", "day"),
    ("We will meet on 20 May.", "20 May", "2025-05-20", "2025-05-21", "day"),
    ("I'll be done by Dec 1.", "Dec 1", "2025-12-01", "2025-12-02", "day"),
    ("It is due January 5.", "January 5", "2026-01-05", "2026-01-06", "day"),
    ("We met on December 20th.", "December 20th", "2024-12-20", "2024-12-21", "day"),
    ("on the 10th we ate out, I paid on the 10th.", "the 10th", "2025-05-10", "2025-05-11", "day"),
    ("I'll pay on the 2nd.", "the 2nd", "2025-06-02", "2025-06-03", "day"),
    ("I'll pay by the 2nd of next month.", "the 2nd of next month", "2025-06-02", "2025-06-03", "day"),
    # Months, seasons, holidays.
    ("We met in March.", "March", "2025-03-01", "2025-04-01", "month"),
    ("We went there in October.", "October", "2024-10-01", "2024-11-01", "month"),
    ("We are going there in October.", "October", "2025-10-01", "2025-11-01", "month"),
    ("I sang last May.", "last May", "2024-05-01", "2024-06-01", "month"),
    ("We marry next May.", "next May", "2026-05-01", "2026-06-01", "month"),
    ("It will be ready by the end of June.", "the end of June", "2025-06-21", "2025-07-01", "span"),
    ("We hiked last summer.", "last summer", "2024-06-01", "2024-09-01", "season"),
    ("This summer I'll hike.", "This summer", "2025-06-01", "2025-09-01", "season"),
    ("We marry next spring.", "next spring", "2026-03-01", "2026-06-01", "season"),
    ("In the summer of 2019 we hiked.", "the summer of 2019", "2019-06-01", "2019-09-01", "season"),
    ("I will ski in the winter.", "the winter", "2025-12-01", "2026-03-01", "season"),
    ("I moved here in autumn.", "autumn", "2024-09-01", "2024-12-01", "season"),
    ("I got socks for Christmas.", "Christmas", "2024-12-25", "2024-12-26", "day"),
    ("We'll be home for Christmas.", "Christmas", "2025-12-25", "2025-12-26", "day"),
    ("We danced on New Year's Eve 2019.", "New Year's Eve 2019", "2019-12-31", "2020-01-01", "day"),
    # From the day of speaking.
    ("The day before yesterday it rained.", "The day before yesterday", "2025-05-12", "2025-05-13", "day"),
    ("Yesterday evening it rained.", "Yesterday evening", "2025-05-13", "2025-05-14", "day"),
    ("I slept badly last night.", "last night", "2025-05-13", "2025-05-14", "day"),
    ("I ran this morning.", "this morning", "2025-05-14", "2025-05-15", "day"),
    ("See you tonight!", "tonight", "2025-05-14", "2025-05-15", "day"),
    ("Tomorrow I'll rest.", "Tomorrow", "2025-05-15", "2025-05-16", "day"),
    ("We leave the day after tomorrow.", "the day after tomorrow", "2025-05-16", "2025-05-17", "day"),
    ("I need it by EOD.", "EOD", "2025-05-14", "2025-05-15", "day"),
    ("We met 3 days ago.", "3 days ago", "2025-05-11", "2025-05-12", "day"),
    ("We met a couple of days ago.", "a couple of days ago", "2025-05-12", "2025-05-13", "day"),
    ("We met two weeks ago.", "two weeks ago", "2025-04-28", "2025-05-05", "week"),
    ("We met a month ago.", "a month ago", "2025-04-01", "2025-05-01", "month"),
    ("We met a few years ago.", "a few years ago", "2020-01-01", "2023-01-01", "span"),
    ("It broke 2 hours ago.", "2 hours ago", "2025-05-14T08:30", "2025-05-14T09:30", "instant"),
    ("I'll call in two days.", "in two days", "2025-05-16", "2025-05-17", "day"),
    ("We leave in 2 weeks.", "in 2 weeks", "2025-05-26", "2025-06-02", "week"),
    ("The exam will be in a month.", "in a month", "2025-06-01", "2025-07-01", "month"),
    ("We start two weeks from now.", "two weeks from now", "2025-05-26", "2025-06-02", "week"),
    ("I ran over the past three weeks.", "over the past three weeks", "2025-04-23", "2025-05-15", "span"),
    ("I'll rest over the next 3 days.", "over the next 3 days", "2025-05-14", "2025-05-18", "span"),
    ("Last week I ran.", "Last week", "2025-05-05", "2025-05-12", "week"),
    ("Next month I'll rest.", "Next month", "2025-06-01", "2025-07-01", "month"),
    ("This year I read more.", "This year", "2025-01-01", "2026-01-01", "year"),
    ("It rained late last year.", "late last year", "2024-09-01", "2025-01-01", "span"),
    ("I'll pay by the end of the month.", "the end of the month", "2025-05-25", "2025-06-01", "span"),
    ("We leave the week after next.", "the week after next", "2025-05-26", "2025-06-02", "week"),
    ("It rained the week before last.", "the week before last", "2025-04-28", "2025-05-05", "week"),
    # Weekdays and weekends.
    ("Last Friday we ate.", "Last Friday", "2025-05-09", "2025-05-10", "day"),
    ("I saw her on Friday.", "Friday", "2025-05-09", "2025-05-10", "day"),
    ("I'll see her on Friday.", "Friday", "2025-05-16", "2025-05-17", "day"),
    ("I'm meeting Bela on Monday.", "Monday", "2025-05-19", "2025-05-20", "day"),
    ("It must be done by Friday.", "Friday", "2025-05-16", "2025-05-17", "day"),
    ("Meeting on Tuesday", "Tuesday", "2025-05-20", "2025-05-21", "day"),
    ("I finished it and will send it on Friday.", "Friday", "2025-05-16", "2025-05-17", "day"),
    ("Next Friday I'll rest.", "Next Friday", "2025-05-23", "2025-05-24", "day"),
    ("This Friday I'll rest.", "This Friday", "2025-05-16", "2025-05-17", "day"),
    ("It rained on Tuesday last week.", "Tuesday last week", "2025-05-06", "2025-05-07", "day"),
    ("It rained on Wednesday.", "Wednesday", "2025-05-07", "2025-05-08", "day"),
    ("I'll come on Fri.", "Fri", "2025-05-16", "2025-05-17", "day"),
    ("Last weekend it rained.", "Last weekend", "2025-05-10", "2025-05-12", "span"),
    ("This weekend we're sailing.", "This weekend", "2025-05-17", "2025-05-19", "span"),
    ("We sailed over the weekend.", "the weekend", "2025-05-10", "2025-05-12", "span"),
    ("We sail next weekend.", "next weekend", "2025-05-24", "2025-05-26", "span"),
]


@pytest.mark.parametrize(("text", "words", "begins", "ends", "grain"), ONE)
def test_a_told_time_is_resolved_from_the_day_it_was_said(text, words, begins, ends, grain):
    assert (words, begins, ends, grain) in told(text)


@pytest.mark.parametrize(
    "text",
    [
        *["I may go.", "We may 3 times try.", "We march on.", "may I?", "March 3 miles and rest.", "This may be it."],
        *["The sun sat low.", "They wed young.", "Every Friday I run.", "Fridays are slow.", "Happy Friday!"],
        *["I read it in two days.", "The other day it rained.", "Ages ago.", "last minute", "Next time, then."],
        *[
            "In today's world",
            "It has 2000 words.",
            "in 2000 words",
            "Version 1.2.2019",
            "Order 2019-13-45",
            "1/2/2023",
        ],
        *["on 30 February 1990", "February 30", "The fall was steep.", "Spring water", "I have 5 may tickets."],
        *[
            "half an hour ago-ish",
            "",
            "   ",
            "Nothing here.",
            "He is 30 years old.",
            "a day trip",
            "Weekends are long.",
        ],
        *["The second of them", "in a week's worth", "Tea in summer is cold"],
    ],
)
def test_what_is_no_time_is_left_out(text):
    assert told(text) == []


def test_times_come_in_the_order_of_the_text():
    text = "Yesterday I ran, on Friday I'll rest, and in June 2019 I swam."

    assert [one[0] for one in told(text)] == ["Yesterday", "Friday", "June 2019"]


def test_of_times_that_overlap_the_longest_is_told():
    assert [one[0] for one in told("In the summer of 2019 it rained on Tuesday last week.")] == [
        "the summer of 2019",
        "Tuesday last week",
    ]


def test_days_are_those_of_the_zone_in_which_it_was_said():
    evening_in_lima = datetime(2025, 5, 14, 22, 0, tzinfo=timezone(timedelta(hours=-5)))

    (spoken,) = spoken_times("Tomorrow I'll rest.", evening_in_lima)

    assert spoken.begins == datetime(2025, 5, 15, 5, tzinfo=UTC)
    assert spoken.ends == datetime(2025, 5, 16, 5, tzinfo=UTC)
    assert spoken.begins.tzinfo is UTC


def test_text_whose_small_letters_are_longer_keeps_its_places():
    assert told("İİİ yesterday")[0][0] == "yesterday"


@pytest.mark.parametrize("at", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)])
def test_at_the_ends_of_the_calendar_what_lies_beyond_is_left_out(at):
    text = "yesterday, tomorrow, 3 years ago, in 3 years, last week, next month, last winter, on Friday, in 2 hours"
    for spoken in spoken_times(text, at):
        assert spoken.begins < spoken.ends


_PHRASES = st.sampled_from([text for text, *_ in ONE])
_INSTANTS = st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def _whole(spoken: SpokenTime, text: str) -> bool:
    return spoken.begins < spoken.ends and spoken.begins.tzinfo is UTC and spoken.words in text


@given(_PHRASES, _INSTANTS)
def test_every_range_is_half_open_in_utc_and_its_words_are_in_the_text(text, at):
    for spoken in spoken_times(text, at):
        assert _whole(spoken, text)


@given(st.text(max_size=200), _INSTANTS)
def test_no_text_breaks_it(text, at):
    assert all(_whole(spoken, text) for spoken in spoken_times(text, at))


@given(_INSTANTS)
def test_last_and_next_weekday_lie_within_a_fortnight(at):
    (last,) = spoken_times("last Friday", at)
    (following,) = spoken_times("next Friday", at)

    assert last.begins.weekday() == following.begins.weekday() == 4
    assert timedelta(0) < at - last.begins < timedelta(days=8)
    assert timedelta(0) < following.begins - at < timedelta(days=12)


@pytest.mark.parametrize(
    "text",
    [
        "last " * 4000, "in the past " * 1500, "1" * 20000, "May " * 5000, "2019-" * 4000, "a few " * 3000 + "days ago",
        "on the 1" * 2500, "early mid late " * 1300, "in 2" * 5000, "the end of " * 1800, "'" * 20000, "monday " * 1500,
    ],
)  # fmt: skip
def test_no_text_takes_long_to_read(text):
    began = time.process_time()
    spoken_times(text, WEDNESDAY)

    assert time.process_time() - began < 2.0
