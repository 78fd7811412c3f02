"""The rules of LOG: its lines, and a file against what is stored."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.rules import log

TODAY = date(2026, 5, 4)
CHANGES = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cf"), exclude_characters="\x85"), min_size=1, max_size=50
).filter(lambda text: text == text.strip() and any(letter.isalnum() for letter in text))
ENTRIES = st.builds(log.Line, st.dates(date(2000, 1, 1), TODAY), st.sampled_from(["alpha", "beta"]), CHANGES)
STORED = st.lists(ENTRIES.map(str), min_size=1, max_size=8, unique=True)


def today(project: str) -> date | None:
    return {"alpha": TODAY, "beta": TODAY + timedelta(days=1)}.get(project)


@given(ENTRIES)
def test_a_line_is_read_as_it_was_written(line):
    assert log.parsed(str(line)) == line
    log.check(line, today)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("2026-05-04 - alpha - x", "line"), ("2026-05-04 · alpha", "line"), ("", "line"),
        ("2026-02-30 · alpha · x", "date"), ("2026-5-4 · alpha · x", "date"), ("٢٠٢٦-05-04 · alpha · x", "date"),
        ("0000-01-01 · alpha · x", "date"),
        ("2026-05-04 · alpha · ", "change"), ("2026-05-04 · alpha ·  x", "change"),
        ("2026-05-04 · alpha · a\u2028b", "change"), ("2026-05-04 · alpha · a\x1bb", "change"),
        ("2026-05-04 · alpha · a\u202eb", "change"), ("2026-05-04 · alpha · " + "x" * 1_001, "change"),
        ("2026-05-04 · alpha · \u200b", "change"), ("2026-05-04 · alpha · a\udcff", "change"),
    ],
)  # fmt: skip
def test_a_line_in_another_form_is_refused_and_its_part_named(text, part):
    with pytest.raises(log.BadLine) as refused:
        log.parsed(text)
    assert refused.value.part == part


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("2026-05-05 · alpha · x", "date"), ("2026-05-06 · beta · x", "date"), ("1969-12-31 · alpha · x", "date"),
        ("2026-05-04 · Alpha · x", "project"),
    ],
)  # fmt: skip
def test_a_day_to_come_or_before_1970_and_a_name_of_no_member_are_refused(text, part):
    with pytest.raises(log.BadLine) as refused:
        log.check(log.parsed(text), today)
    assert refused.value.part == part


def test_tomorrow_here_may_be_today_there():
    log.check(log.parsed("2026-05-05 · beta · x"), today)


@given(STORED, st.lists(ENTRIES.map(str), max_size=4))
def test_what_follows_the_stored_lines_is_appended(stored, more):
    found = log.compared([*stored, *more], stored, len(stored))
    assert (found.appended, found.changed) == (tuple(more), None)


@given(STORED, st.data(), st.lists(ENTRIES.map(str), max_size=3))
def test_the_first_changed_line_is_named_whatever_else_was_done(stored, draw, more):
    index = draw.draw(st.integers(0, len(stored) - 1))
    edited = [*stored[:index], stored[index] + " indeed", *stored[index + 1 :]]
    found = log.compared([*edited, *more], stored, len(stored))
    assert found.changed == index + 1
    if not set(more) & set(stored):
        assert found.appended == tuple(more)


@given(STORED, st.data())
def test_a_removed_line_is_named_and_nothing_counts_as_added(stored, draw):
    index = draw.draw(st.integers(0, len(stored) - 1))
    found = log.compared(stored[:index] + stored[index + 1 :], stored, len(stored))
    assert (found.appended, found.changed, found.what) == ((), index + 1, "removed")


@given(STORED, st.data())
def test_lines_stored_since_need_not_be_on_disk_yet_and_are_not_taken_twice(stored, draw):
    on_disk = draw.draw(st.integers(0, len(stored)))
    reached = draw.draw(st.integers(on_disk, len(stored)))
    found = log.compared(stored[:reached], stored, on_disk)
    assert (found.appended, found.changed) == ((), None)


@given(STORED)
def test_a_written_file_has_the_same_lines(stored):
    assert log.lines_of(log.written(stored)) == stored
    assert log.lines_of(log.written(stored).replace("\n", "\r\n\r\n")) == stored


def test_the_first_day_that_is_taken_is_that_of_1970():
    log.check(log.parsed("1970-01-01 · alpha · x"), today)
