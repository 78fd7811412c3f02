"""What of a project's folder its siblings may see."""

import re
import unicodedata
from dataclasses import dataclass

from common.folders.names import folded

_FOLDERS = (".ssh", ".aws", ".gnupg", ".kube")
_SETTINGS = (".git-credentials", ".netrc", ".npmrc", ".pypirc")
_PRIVATE = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa")
_ENDINGS = (".pem", ".key", ".p12", ".pfx")
_DOCKER = ".docker/config.json"
_COPY = "copies of KEYS.md"
LEFT_OUT = (
    "KEYS.md", _COPY, ".env*", "*.env", "data/", ".git", *_SETTINGS, *(f"{name}/" for name in _FOLDERS), _DOCKER,
    *(f"{name}*" for name in _PRIVATE), *(f"*{ending}" for ending in _ENDINGS), "links", "special files",
)  # fmt: skip
"""What every view lacks, as it is shown."""
# What editors and people add to the name of a file that they keep a copy of.
_KEPT = r"(?:$|~|[._ -](?:bak|old|orig|save|sw[a-z]|tmp|copy|backup))"
_KEYS_COPY = re.compile(r"keys.*\.(?:md|txt)(?![a-z0-9])")
_ENDING = re.compile(rf"(?P<ending>\.(?:pem|key|p12|pfx)){_KEPT}")


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
    above = ""
    for part in path.split("/"):
        if part in {"", "."}:
            continue
        if part == "..":
            return Verdict(False, "not a plain path")
        name = _compared(part)
        why = _why(name) or _credentials(above, name)
        if why:
            return Verdict(False, why)
        above = name
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
    return _COPY if _KEYS_COPY.search(name) else ""


def _credentials(above: str, name: str) -> str:
    """Which file or folder of credentials this is, by its name and that of its folder; "" for any other."""
    bare = name.lstrip("#~")
    if bare in _FOLDERS:
        return f"{bare}/"
    if above == ".docker" and bare.startswith("config.json"):
        return _DOCKER
    if name.lstrip(".#~").startswith(_PRIVATE):
        return next(f"{one}*" for one in _PRIVATE if name.lstrip(".#~").startswith(one))
    found = _ENDING.search(name)
    if found:
        return f"*{found['ending']}"
    if re.search(r"\.env(?:$|[.~_ -])", name):
        return "*.env"
    dotted = f".{bare[1:]}" if bare.startswith("_") else f".{bare.lstrip('.')}" if bare.startswith(".") else ""
    return next((one for one in _SETTINGS if dotted.startswith(one)), "")


def _compared(part: str) -> str:
    """The name as disks compare it; letters that can't be seen or decoded count for nothing."""
    letters = "".join(letter for letter in folded(part) if unicodedata.category(letter) not in {"Cf", "Cc", "Cs"})
    return letters.partition(":")[0].strip(" ").rstrip(". ")
