"""What of a project's folder its siblings may see."""

import unicodedata
from dataclasses import dataclass

from common.folders.names import folded

LEFT_OUT = ("KEYS.md", ".env*", "data/", ".git", "links", "special files")
"""What every view lacks, as it is shown."""


@dataclass(frozen=True)
class Verdict:
    """Whether a path is shown; `why` names the one of LEFT_OUT, or another reason, where it is not."""

    shown: bool
    why: str = ""


SHOWN = Verdict(True)


def allowed(path: str) -> Verdict:
    """Whether a sibling may see `path`, relative to the project's folder with "/" between its parts.

    Names are compared without regard to case, width, composition, characters that can't be seen, and dots or spaces at
    their end, since on one disk or another each of these opens the same file.
    """
    if path.startswith("/") or "\\" in path:
        return Verdict(False, "not a plain path")
    for part in path.split("/"):
        if part in {"", "."}:
            continue
        if part == "..":
            return Verdict(False, "not a plain path")
        why = _why(_compared(part))
        if why:
            return Verdict(False, why)
    return SHOWN


def _why(name: str) -> str:
    if not name:
        return "not a plain path"
    if name == ".git" or name.startswith("git~"):
        return ".git"
    if name.startswith(".env"):
        return ".env*"
    if name == "data":
        return "data/"
    # Editors keep the same content beside it: KEYS.md~, .KEYS.md.swp, #KEYS.md#.
    if name.lstrip(".#~").startswith("keys.md"):
        return "KEYS.md"
    return ""


def _compared(part: str) -> str:
    """The name as disks compare it; letters that can't be seen or decoded count for nothing."""
    letters = "".join(letter for letter in folded(part) if unicodedata.category(letter) not in {"Cf", "Cc", "Cs"})
    return letters.partition(":")[0].strip(" ").rstrip(". ")
