"""What of a project's folder is to be in its view: found by open folders, following no link."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from common.folders.walking import Seen, opened_folder, seen_as
from domains.rules.showing import allowed

MOST_FILES = 50_000
MOST_BYTES = 2 * 1024**3
LARGEST_FILE = 256 * 1024**2
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass
class Looked:
    """The files to show, by path; the folders on the way; and how many entries are left out, by reason."""

    files: dict[str, Seen] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)
    size: int = 0


def looked_over(folder: Path) -> Looked:
    """What siblings may see of `folder`. Raises FileNotFoundError where it is not there.

    A file with several names is left out whatever it is called: one of them may be that of a file nobody else may see.
    Beyond the limits the first ones by path are shown.
    """
    found = Looked()
    root = os.open(folder, _FOLDER)
    try:
        for seen in _below(root, found):
            _sort(found, seen)
    finally:
        os.close(root)
    return found


def _sort(found: Looked, seen: Seen) -> None:
    why = _why_not(found, seen)
    if why:
        found.left_out[why] += 1
    else:
        found.files[seen.path] = seen
        found.size += seen.size


def _why_not(found: Looked, seen: Seen) -> str:
    if seen.kind == "link":
        return "links"
    if seen.kind != "file":
        return "special files"
    if seen.links != 1:
        return "files with several names"
    if seen.size > LARGEST_FILE:
        return "files that are too large"
    if len(found.files) >= MOST_FILES or found.size + seen.size > MOST_BYTES:
        return "what goes beyond the limit"
    return ""


def _below(root: int, found: Looked) -> Iterator[Seen]:
    """Every entry that its name lets through, but for folders; those are noted, and the ones left out not entered."""
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            opened = opened_folder(root, prefix)
        except OSError:
            found.left_out["what can’t be read"] += 1
            continue
        try:
            entries = _entries(opened, prefix)
        finally:
            os.close(opened)
        for seen in entries:
            verdict = allowed(seen.path)
            if not verdict.shown:
                found.left_out[verdict.why] += 1
            elif seen.kind == "folder":
                found.folders.add(seen.path)
                waiting.append(seen.path)
            else:
                yield seen


def _entries(opened: int, prefix: str) -> list[Seen]:
    found = []
    for name in sorted(os.listdir(opened)):
        try:
            seen = os.stat(name, dir_fd=opened, follow_symlinks=False)
        except FileNotFoundError:
            continue
        found.append(seen_as(f"{prefix}/{name}" if prefix else name, seen))
    return found
