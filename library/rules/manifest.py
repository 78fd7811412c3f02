"""The part of a system prompt that says what the Library holds: a row for each file, or for each folder.

Names are other people's text. A row is one line, and a name on it is a JSON string in which nothing but visible
characters stands as it is, so that no name can end its line or pass for words of ours.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from library.rules.sizes import size_words

MOST_ROWS = 50


class Entry(NamedTuple):
    """A file: its path, its size in bytes, and the day on which it last changed (UTC)."""

    path: str
    size: int
    day: date


class _Row(NamedTuple):
    name: str
    files: int
    size: int
    day: date | None


def prompt_block(target: str, revision: int, rows: str) -> str:
    """The block: where the Library is mounted, its revision, then `rows`. Nothing at all where there are no rows."""
    return f"mounted read-only at {target}, revision {revision}\n{rows}" if rows else ""


def rows_of(entries: Sequence[Entry], most: int = MOST_ROWS) -> str:
    """The rows of `entries`, which are in order of their paths; at most `most` of them, each ending its line.

    Up to `most` files are rows by themselves. More of them are folded into their folders, down to the greatest depth
    that fits. Where not even the first one does, the loose files become one row, and so do the folders beyond the last
    that fits.
    """
    if len(entries) <= most:
        return "".join(_line(_file(entry)) for entry in entries)
    found: list[_Row] = []
    depth = 1
    while (deeper := _folded(entries, depth, most)) is not None:
        found = deeper
        depth += 1
    return "".join(_lines(found or _narrowed(entries, most)))


def _folded(entries: Sequence[Entry], depth: int, most: int) -> list[_Row] | None:
    """A row for each file less than `depth` folders deep and for each folder at that depth; None where it is too many.

    The paths are in order, so that the files of a folder stand together.
    """
    rows: list[_Row] = []
    last = "/"  # no path begins so
    files = size = 0
    for path, taken, day in entries:
        if path.startswith(last):
            files += 1
            size += taken
            continue
        if files:
            rows[-1] = _Row(last, files, size, None)
        if len(rows) == most:
            return None
        parts = path.split("/", depth)
        if len(parts) <= depth:
            rows.append(_Row(path, 1, taken, day))
            last, files = "/", 0
        else:
            last, files, size = path[: -len(parts[-1])], 1, taken
            rows.append(_Row(last, files, size, None))
    if files:
        rows[-1] = _Row(last, files, size, None)
    return rows


def _narrowed(entries: Sequence[Entry], most: int) -> list[_Row]:
    """The folders of the first depth, with one row for what is loose and one for the folders that do not fit."""
    loose = [entry for entry in entries if "/" not in entry.path]
    sizes: dict[str, list[int]] = defaultdict(list)
    for entry in entries:
        if "/" in entry.path:
            sizes[entry.path.partition("/")[0] + "/"].append(entry.size)
    folders = [_Row(name, len(found), sum(found), None) for name, found in sorted(sizes.items())]
    room = most - bool(loose)
    rows = folders[: room - 1] if len(folders) > room else folders
    if rest := folders[len(rows) :]:
        rows = [*rows, _Row("", sum(row.files for row in rest), sum(row.size for row in rest), None)]
    return [*rows, *([_Row("./", len(loose), sum(entry.size for entry in loose), None)] if loose else [])]


def _lines(rows: Sequence[_Row]) -> Iterator[str]:
    return (_line(row) for row in rows)


def _line(row: _Row) -> str:
    size = size_words(row.size)
    if row.day is not None:
        return f"- {quoted(row.name)} {size}, {row.day.isoformat()}\n"
    named = quoted(row.name) if row.name else "in other folders"
    return f"- {named} {row.files:,} file{'' if row.files == 1 else 's'}, {size}\n"


def _file(entry: Entry) -> _Row:
    return _Row(entry.path, 1, entry.size, entry.day)


def quoted(name: str) -> str:
    """A name as a JSON string on one line, in which what can't be seen is written by its code."""
    written = json.dumps(name, ensure_ascii=False)
    if written.isprintable():
        return written
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in written)
