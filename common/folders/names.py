"""Which paths a kept folder takes, and which of them are the same name to a reader or to another system."""

import re
import unicodedata

MOST_PART_BYTES = 255
MOST_PATH_BYTES = 2_000
MOST_PARTS = 64

# Names that Windows keeps for devices, whatever extension follows.
_DEVICE = re.compile(r"(?is)(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\s*(?:\..*)?")
# What decoders put in the place of bytes that are no UTF-8, so that different names become one.
_UNDECODED = "\ufffd"
# Joiners that scripts and emoji need; every other format character is refused.
_JOINERS = "\u200c\u200d"
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNSEEN = frozenset({"Cf", "Mn"})
_VARIATIONS = frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x180E)]))


class BadName(ValueError):
    """A path that is refused. `reason` ends the sentence that the name begins; `name` is the part at fault."""

    def __init__(self, reason: str, name: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.name = name


def checked_path(given: str) -> str:
    """The path in composed form (NFC), its folders parted by "/". Raises BadName with the reason for one refused."""
    if not given:
        raise BadName("must not be empty", given)
    try:
        given.encode()
    except UnicodeEncodeError:
        raise BadName("must be valid Unicode text", given) from None
    path = unicodedata.normalize("NFC", given)
    if path.startswith("/"):
        raise BadName("must be relative: leave the first “/” out", path)
    if len(path.encode()) > MOST_PATH_BYTES:
        raise BadName(f"must have {MOST_PATH_BYTES:,} bytes or fewer in UTF-8", path)
    parts = path.split("/")
    if len(parts) > MOST_PARTS:
        raise BadName(f"must have {MOST_PARTS} parts or fewer", path)
    for part in parts:
        _check_part(part)
    return path


def folded(path: str) -> str:
    """The form in which names are compared: two paths that differ by case, width or composition alone share it."""
    compared = "".join(letter for letter in path if letter not in _JOINERS and letter not in _VARIATIONS)
    for _ in range(4):
        before = compared
        compared = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", compared).casefold())
        if compared == before:
            break
    return compared


def _check_part(part: str) -> None:
    reason = _fault(part)
    if reason:
        raise BadName(reason, part)


def _fault(part: str) -> str | None:
    """What is wrong with one part of a path, as it is or as what it reads as: “．．” reads as “..”."""
    if not part:
        return "must not have an empty part"
    if len(part.encode()) > MOST_PART_BYTES:
        return f"must have parts of {MOST_PART_BYTES} bytes or fewer in UTF-8"
    reason = _unseen_fault(part) or _shape_fault(part)
    if reason:
        return reason
    plain = folded(part)
    if "/" in plain:
        return "must not hold a character that reads as a slash"
    reason = _shape_fault(plain)
    return f"{reason}, which is what “{plain}” would be" if reason else None


def _shape_fault(part: str) -> str | None:
    if part in {".", ".."}:
        return "must not have a part “.” or “..”"
    if part.startswith("."):
        return "must not have a hidden part, which begins with a dot"
    if "\\" in part:
        return "must not hold a backslash"
    if part.endswith(".") or part[-1].isspace():
        return "must not have a part that ends with a dot or a space"
    if _DEVICE.fullmatch(part):
        return "must not have the name of a device"
    return None


def _unseen_fault(part: str) -> str | None:
    seen = False
    for letter in part:
        kind = unicodedata.category(letter)
        if letter in _BIDI:
            return "must not hold characters that turn the direction of text"
        if kind in {"Cc", "Cs", "Zl", "Zp"}:
            return "must not hold control characters"
        if letter == _UNDECODED:
            return "must be valid UTF-8: “�” stands for bytes that are not"
        if kind == "Cf" and letter not in _JOINERS:
            return "must not hold characters that can’t be seen"
        seen = seen or (kind not in _UNSEEN and not letter.isspace())
    return None if seen else "must have a part with a visible character"
