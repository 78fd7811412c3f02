"""The rows of the prompt's part on the Library."""

import json
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from library.rules.manifest import MOST_ROWS, Entry, prompt_block, quoted, rows_of
from library.rules.sizes import size_words

DAY = date(2026, 10, 12)
PARTS = st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=6)
PATHS = st.lists(st.lists(PARTS, min_size=1, max_size=4).map("/".join), max_size=120, unique=True)


def entries(*paths: str, size: int = 1_000) -> list[Entry]:
    return [Entry(path, size, DAY) for path in sorted(paths)]


def names(rows: str) -> list[str]:
    return [json.JSONDecoder().raw_decode(row[2:])[0] for row in rows.splitlines() if row.startswith('- "')]


def test_an_empty_library_adds_nothing():
    assert prompt_block("/library", 7, rows_of([])) == ""


def test_the_block_begins_with_where_it_is_mounted_and_its_revision():
    block = prompt_block("/library", 1204, rows_of(entries("handbook/closing-day.md", size=3_200)))
    assert block == 'mounted read-only at /library, revision 1204\n- "handbook/closing-day.md" 3.2 kB, 2026-10-12\n'


def test_fifty_files_are_listed_and_one_more_folds_them_into_folders():
    fifty = entries(*(f"contracts/{number:02}.pdf" for number in range(49)), "price-list.xlsx")
    assert names(rows_of(fifty)) == [entry.path for entry in fifty]
    assert rows_of(sorted([*fifty, *entries("contracts/99.pdf")])) == (
        '- "contracts/" 50 files, 50 kB\n- "price-list.xlsx" 1.0 kB, 2026-10-12\n'
    )


def test_folders_are_opened_down_to_the_depth_that_fits():
    many = entries(*(f"a/{folder}/{number}" for folder in "xyz" for number in range(20)), "b/one")
    assert names(rows_of(many)) == ["a/x/", "a/y/", "a/z/", "b/one"]


def test_a_folder_whose_name_begins_as_another_one_stays_apart():
    many = entries(*(f"a/{number}" for number in range(30)), *(f"a-b/{number}" for number in range(30)), "a.txt")
    assert names(rows_of(many)) == ["a-b/", "a.txt", "a/"]


def test_loose_files_that_are_too_many_are_one_row_and_so_are_the_folders_that_do_not_fit():
    many = entries(*(f"{number:03}.txt" for number in range(60)), *(f"folder-{number:03}/a" for number in range(70)))
    rows = rows_of(many).splitlines()
    assert len(rows) == MOST_ROWS
    assert rows[-2:] == ["- in other folders 22 files, 22 kB", '- "./" 60 files, 60 kB']


@given(PATHS)
@settings(max_examples=60)
def test_whatever_the_names_there_are_fifty_rows_at_most_and_each_is_one_line(paths: list[str]):
    found = rows_of(entries(*paths))
    rows = found.split("\n")
    assert rows.pop() == ""
    assert len(rows) <= MOST_ROWS
    assert found == found.translate({ord(char): None for char in "\r\x0b\x0c\x85\u2028\u2029\u202e\u200b"})
    assert all(row.startswith(('- "', "- in other folders ")) for row in rows)


@given(PATHS)
@settings(max_examples=60)
def test_the_rows_speak_of_every_file_once(paths: list[str]):
    rows = rows_of(entries(*paths)).splitlines()
    counted = [
        row.rpartition(" file")[0].rpartition(" ")[2] if " file" in row.rpartition('"')[2] else "1" for row in rows
    ]
    assert sum(int(count.replace(",", "")) for count in counted) == len(paths)


@given(st.text(st.characters(exclude_categories=())))
def test_a_quoted_name_is_one_visible_line_and_can_be_read_back(name: str):
    assert quoted(name).isprintable()
    assert json.loads(quoted(name)).encode("utf-16", "surrogatepass") == name.encode("utf-16", "surrogatepass")


def test_sizes_are_written_with_two_figures_or_more():
    sizes = (0, 999, 1_000, 9_949, 9_960, 212_000, 999_499, 999_500, 4_100_000, 2 * 1024**3, 5 * 10**15)
    written = "0 B,999 B,1.0 kB,9.9 kB,10 kB,212 kB,999 kB,1.0 MB,4.1 MB,2.1 GB,5,000 TB"
    assert ",".join(map(size_words, sizes)) == written
