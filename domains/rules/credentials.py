"""Whether a text that many read holds a credential. Only the common shapes are known.

Prose about credentials passes (“the password is in KEYS.md”), and so do placeholders.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SHORTEST_KNOWN = 8  # characters of a known value below which finding it in a text says nothing

_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----")
_PROVIDERS = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      (?:AKIA|ASIA)[0-9A-Z]{16}
    | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,} | glpat-[A-Za-z0-9_-]{16,}
    | (?:sk|rk|pk)[-_](?:live|test|proj|ant|or)[-_][A-Za-z0-9_-]{12,} | sk-[A-Za-z0-9_-]{20,}
    | xox[abeprs]-[A-Za-z0-9-]{10,} | AIza[0-9A-Za-z_-]{35} | ya29\.[A-Za-z0-9_-]{20,}
    | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | npm_[A-Za-z0-9]{30,} | hf_[A-Za-z0-9]{24,}
    | kndl_seat_[A-Za-z0-9_-]{20,} | dop_v1_[a-f0-9]{40,} | shp(?:at|ss|ca)_[a-fA-F0-9]{24,}
    | eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
    )""",
    re.VERBOSE,
)
_IN_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:(?P<value>[^\s/@]{1,200})@", re.IGNORECASE)
_BEARER = re.compile(r"\b(?:bearer|basic)\s+(?P<value>[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE)
_NAMED = re.compile(
    r"""(?P<name>[A-Za-z0-9_.\-]{0,60}?(?:key|token|secret|passwd|password|passphrase|pwd|credentials?|auth))
        [`"'*]{0,3}\s{0,3}(?P<sign>:=|=>|[:=])\s{0,3}(?P<value>[^\s,;]{1,500})""",
    re.VERBOSE | re.IGNORECASE,
)
_SHOUTED = re.compile(r"^\s*(?:export\s+)?(?P<name>[A-Z][A-Z0-9_]{2,60})=(?P<value>\S{1,500})\s*$")
_QUOTES = "`\"'*()[]."
_PLACEHOLDER = re.compile(
    r"""(?:<.*|\$\{?.*|%.*%|\{\{?.*|[*•xX.…_\-]+|\.{3}|KEYS(?:\.md)?|see|none|null|true|false|optional|required|hidden
        |masked|redacted|changeme|example|placeholder|your[-_].*|my[-_].*)""",
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Found:
    """Where a credential seems to stand: the line, counted from 1, and what it looks like; never the text itself."""

    line: int
    what: str


def credentials(text: str, known: Iterable[str] = ()) -> list[Found]:
    """What in `text` looks like a credential, or is one of the `known` values; in the order of lines, one a line."""
    values = [value for value in known if len(value) >= SHORTEST_KNOWN]
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        what = next(_in_line(line, values), None)
        if what:
            found.append(Found(number, what))
    return found


def _in_line(line: str, known: list[str]) -> Iterator[str]:
    if any(value in line for value in known):
        yield "a value of KEYS.md"
    if _PRIVATE_KEY.search(line):
        yield "a private key"
    if _PROVIDERS.search(line):
        yield "a token"
    if any(_is_value(match["value"]) for match in _IN_ADDRESS.finditer(line)):
        yield "an address with a password in it"
    if any(not match["value"].isalpha() for match in _BEARER.finditer(line)):
        yield "a bearer token"
    if (shouted := _SHOUTED.match(line)) and _NAMED.search(line) and _is_value(shouted["value"]):
        yield "a value beside the name of a credential"
    if any(_is_secret_looking(match["value"], match["sign"]) for match in _NAMED.finditer(line)):
        yield "a value beside the name of a credential"


def _is_value(given: str) -> bool:
    bare = given.strip(_QUOTES)
    return bool(bare) and _PLACEHOLDER.fullmatch(bare) is None


def _is_secret_looking(given: str, sign: str) -> bool:
    """Behind “password:” a word of prose is none; a value has digits or odd characters in it, or stands in quotes."""
    bare = given.strip(_QUOTES)
    if len(bare) < 4 or not _is_value(given) or "://" in bare:
        return False
    mixed = any(letter.isdigit() for letter in bare) and any(letter.isalpha() for letter in bare)
    odd = any(not letter.isalnum() and letter not in "-_./" for letter in bare)
    quoted = len(given) > 2 and given[0] == given[-1] and given[0] in "`\"'"
    long_digits = bare.isdigit() and len(bare) >= 6
    return mixed or odd or long_digits or (quoted and sign != ":") or (len(bare) >= 20 and " " not in bare)
