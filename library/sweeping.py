"""What cut-off writes left on the disk: contents half received, and those whose transaction was never ended."""

import time
from pathlib import Path

from django.db import transaction

from common.folders.writing import incoming
from library.changing import lock_library
from library.models import Blob
from library.places import blobs_folder, files_folder, incoming_folder

GRACE_SECONDS = 24 * 60 * 60
_PARTS = 256
_SECONDS_A_PART = 60


def sweep() -> int:
    """Remove leftovers of more than a day; returns how many.

    Of the kept contents one part in 256 is looked at in each minute: all of them in some four hours.
    """
    part = int(time.time() / _SECONDS_A_PART) % _PARTS
    return _sweep_incoming() + sweep_part(f"{part:02x}")


def sweep_part(part: str) -> int:
    """Remove what lies in one part of the kept contents, two hexadecimal digits, and no row knows of."""
    old = {f"{part}{path.name}": path for path in _old_files(blobs_folder() / part)}
    if not _unknown(old):
        return 0
    # A writer keeps a content and its row under the same lock.
    with transaction.atomic(using="default"):
        lock_library()
        unknown = _unknown(old)
        for path in unknown:
            path.unlink(missing_ok=True)
    return len(unknown)


def _unknown(contents: dict[str, Path]) -> list[Path]:
    """Those of these contents that have no row."""
    known = set(Blob.objects.filter(sha256__in=contents).values_list("sha256", flat=True))
    return [path for sha256, path in contents.items() if sha256 not in known]


def _sweep_incoming() -> int:
    left = [*_old_files(incoming_folder()), *_old_files(incoming(files_folder()))]
    for path in left:
        path.unlink(missing_ok=True)
    return len(left)


def _old_files(folder: Path) -> list[Path]:
    before = time.time() - GRACE_SECONDS
    try:
        return [path for path in folder.iterdir() if path.lstat().st_mtime < before]
    except FileNotFoundError:
        return []
