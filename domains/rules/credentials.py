"""Whether a text that many read holds a credential. The common shapes are known here; `finders` know more.

Prose about credentials passes (“the password is in KEYS.md”), and so do placeholders.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
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
# Twelve words or more of those that wallets use; prose has one of the words left out here among as many.
_SEED = re.compile(
    r"""\b(?:seed|mnemonic|(?:recovery|backup|secret|wallet)\s(?:phrase|words))\b[^\n]{0,40}?[\s:="'`]\s*
        (?:(?:[0-9]{1,2}[.)]\s*)?(?!(?:the|and|for|are|was|has|not|but|from|they|which|its|our|your)\b)
           [a-z]{3,8}(?![a-z])[\s,"'`]{0,4}){12,24}""",
    re.VERBOSE | re.IGNORECASE,
)
_OTHER = "a password, code or key"
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


def credentials(text: str, known: Iterable[str] = (), finders: Sequence[Callable[[str], bool]] = ()) -> list[Found]:
    """What in `text` looks like a credential, or is one of the `known` values; in the order of lines, one a line.

    Each of `finders` tells whether it finds a secret in a text; one that spans lines is found at its last.
    """
    values = [value for value in known if len(value) >= SHORTEST_KNOWN]
    lines = text.split("\n")
    found = {}
    for phrase in _SEED.finditer(text):
        found[text.count("\n", 0, phrase.start()) + 1] = "a seed phrase"
    for number, line in enumerate(lines, 1):
        what = next(_in_line(line, values), None) or (any(finds(line) for finds in finders) and _OTHER)
        if what:
            found[number] = what
    if not found and any(finds(text) for finds in finders):
        found[_last_line(lines, finders)] = _OTHER
    return [Found(number, found[number]) for number in sorted(found)]


def _last_line(lines: list[str], finders: Sequence[Callable[[str], bool]]) -> int:
    """Up to which line a secret is found, by halving."""
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high) // 2
        if any(finds("\n".join(lines[:middle])) for finds in finders):
            high = middle
        else:
            low = middle + 1
    return low


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
