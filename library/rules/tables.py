"""The beginning of a table, from text: comma-separated values, or the rows of sheets."""

import csv
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

MOST_ROWS = 200
MOST_COLUMNS = 40
_DELIMITERS = ",;\t|"


class Table(NamedTuple):
    """The first rows of a table; `title` is a sheet's name, and empty where there are no sheets."""

    title: str
    rows: list[list[str]]
    is_cut: bool


def separated(text: str) -> Table:
    """The table that a text of separated values is; the delimiter is the one that its first line has most of."""
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    return _table("", _read(text, delimiter))


def sheets(text: str) -> list[Table]:
    """The tables of a workbook's text, in which a form feed begins the line with a sheet's name."""
    found = []
    for sheet in text.split("\f")[1:]:
        title, _, body = sheet.partition("\n")
        found.append(_table(title, (line.split("\t") for line in body.splitlines())))
    return found


def _read(text: str, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            # A field that is longer than the reader takes: nobody could read it as a cell.
            continue


def _table(title: str, lines: Iterable[list[str]]) -> Table:
    rows = list(islice(lines, MOST_ROWS + 1))
    is_cut = len(rows) > MOST_ROWS or any(len(row) > MOST_COLUMNS for row in rows)
    shown = [row[:MOST_COLUMNS] for row in rows[:MOST_ROWS]]
    width = max(map(len, shown), default=0)
    return Table(title, [row + [""] * (width - len(row)) for row in shown], is_cut)
