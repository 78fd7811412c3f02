"""What may be the value of a secret, and what is only a placeholder, a name or a word about it."""

import math
import re
from collections import Counter
from typing import NamedTuple

from memory.sessions.masking.ordinary_words import ORDINARY, is_ordinary

_WRAPPERS = "*_~`\\"
_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "„": "“”",
    "«": "»",
    "‘": "’",
    "「": "」",
    "『": "』",
    "‹": "›",
    "”": "”",
}
_OPENING = re.compile(
    r"(?:</?(?:b|strong|i|em|code|tt|kbd|span|td)>\s?){0,3}[*_~(\[]{0,3}(?P<quote>\\{0,3}[\"'`“„«‘「『‹”]{1,3})?"
)
_LONGEST = 256
_EAST_ASIAN = re.compile(r"[\u3001-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff5e]")
_BARE = re.compile(rf"[^\s\ufffc]{{1,{_LONGEST}}}")
_CLOSING_MARKUP = re.compile(r"</\w|<br|&nbsp;")
_TRAILING = ".,;:?)]}>*_~\"'`”’»|。、"

_PLACEHOLDER = re.compile(
    r"\W{0,400}|[xX*•●·._#-]{2,400}"
    r"|[{\[][\"'{\[].{0,400}|\$\{[^}]{0,200}\}?|\$\([^)]{0,200}\)?|\$[A-Z_][A-Z0-9_]{1,60}"
    r"|%\(?[A-Za-z_]{1,40}\)?[sd%]|%[sd]"
    r"|\{\{.{0,200}|\{%.{0,200}|\{[A-Za-z_][\w.]{0,60}\}|<[A-Za-z][^<>]{0,80}>?|\[[A-Za-z][^\]]{0,60}\]?"
    r"|(?:your|my|the|some|new|old|example|sample|dummy|placeholder|insert|enter|change|redacted|masked|hidden|todo)"
    r"[-_ ][\w -]{1,60}|(?:redacted|masked|hidden|filtered|placeholder|example|null|none|undefined)",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]{0,80}(?:\(|\[|->|::).{0,400}"  # a call, an index
    r"|[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){1,6};?"  # a dotted name
    r"|(?:this|self|process|os|env|var|data|local|module|each|settings|config|secrets)\.[\w.\[\]\"'-]{1,100}"
    r"|@[\w/.-]{1,40}/.{1,80}|\w{0,40}(?:Str|String|Field|Type|Input|Schema|Model|Serializer|Provider|Hasher"
    r"|Encoder)\w{0,9}"
    r"|[a-z]{1,20}_[a-z_]{1,40}|[A-Z]{1,20}_[A-Z_]{1,40}"
)
_OTHER_THING = re.compile(
    r"(?:https?:)?//.{0,400}|www\..{0,400}|/?(?:[a-z][\w.-]{0,30}/){1,9}[\w.-]{0,60}"
    r"|[\w.+-]{1,60}@[\w-]{1,40}\.[a-z]{2,10}"
    r"|v?[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}|[0-9]{1,4}-?(?:[a-z]{1,12}|[A-Z]{2,3})|[0-9]{4}-[0-9]{2}-[0-9]{2}.{0,20}"
    r"|(?:sha-?|md|base|aes-?|rsa-?|pbkdf|argon|bcrypt|scrypt|oauth|rot|utf-?|ed|crc|hs|rs|es|ps|http|ipv|tls|ssl|u2f"
    r"|fido)"
    r"[0-9]{1,4}[a-z]{0,3}(?:[-_]\w{1,20})?|[0-9](?:password|fa|factor)|[0-9]{1,2}:[0-9]{2}(?:[ap]m)?"
    r"|p[0-9]{1,3}|q[1-4]|#[0-9]{1,6}|[0-9]{1,3}(?:st|nd|rd|th)|[0-9.,]{1,9}(?:%|px|ms|kb|mb|gb|[€$£])"
    r"|[$€£][0-9.,]{1,9}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[A-Za-z]{1,20}[-_ #.]?[0-9]{1,6}")
_PLAIN = re.compile(r"[^\W\d_]{1,40}(?:[-'’/+&][^\W\d_]{1,40}){0,6}")
_ABOUT = re.compile(r"passw|passphrase|passcode|kennwort|contrase|secret|token|credential|\bkey\b", re.IGNORECASE)
_SHORTEST = 4
_LEAST_ENTROPY = 2.9
_SHORTEST_NUMBER = 4


class Value(NamedTuple):
    """A possible secret: its place, its text, and whether quotation marks stand around it."""

    start: int
    end: int
    text: str
    quoted: bool


def value_at(text: str, place: int) -> Value | None:
    """Return the quoted text or the run of characters at a place, without marks of emphasis or of a sentence's end."""
    opening = _OPENING.match(text, place)
    start = opening.end() if opening else place
    if opening and opening["quote"]:
        line_end = text.find("\n", start, start + _LONGEST)
        limit = line_end if line_end >= 0 else min(start + _LONGEST, len(text))
        mark = opening["quote"].lstrip("\\")
        closers = [at for closer in _QUOTES[mark[-1]] if (at := text.find(closer, start, limit)) > start]
        if closers:
            end = min(closers)
            while end > start + 1 and text[end - 1] == "\\":
                end -= 1
            return Value(start, end, text[start:end], True)
    bare = _BARE.match(text, start)
    return _trimmed(text, start, bare.end()) if bare else None


def _trimmed(text: str, start: int, end: int) -> Value | None:
    if text[start].isascii() and (asian := _EAST_ASIAN.search(text, start, end)):
        end = asian.start()
    if closed := _CLOSING_MARKUP.search(text, start, end):
        end = closed.start()
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    return Value(start, end, text[start:end], False) if end > start else None


def is_placeholder(value: str) -> bool:
    """Tell what stands in place of a secret: a variable, a template's hole, "your-password", "***"."""
    return _PLACEHOLDER.fullmatch(value) is not None


def is_code(value: str) -> bool:
    """Tell an expression of a program: a call, a dotted name, a type, a snake_case name."""
    return _CODE.fullmatch(value) is not None


def is_plain(value: str) -> bool:
    """Tell a word of letters only, hyphens and apostrophes within it included."""
    return _PLAIN.fullmatch(value) is not None


def is_about_secrets(value: str) -> bool:
    """Tell a text that itself speaks of a password, token or key, as labels and messages do."""
    return _ABOUT.search(value) is not None


def looks_secret(value: str) -> bool:
    """Tell a value with digits among letters, symbols or inner capitals from words, numbers and addresses."""
    if len(value) < _SHORTEST or is_placeholder(value) or _OTHER_THING.fullmatch(value):
        return False
    if value.isdecimal():
        return len(value) >= _SHORTEST_NUMBER
    if is_plain(value):
        parts = [part for part in re.split(r"[-'’/+&]", value) if part]
        return any(_has_inner_capital(part) for part in parts) and not any(map(is_ordinary, parts))
    if all(part.lower() in ORDINARY or part.isdecimal() for part in re.split(r"[\W_]{1,9}", value) if part):
        return False
    return any(char.isalnum() for char in value)


def _has_inner_capital(word: str) -> bool:
    return not word.isupper() and any(char.isupper() for char in word[1:]) and any(char.islower() for char in word)


def looks_random(value: str, least: int) -> bool:
    """Tell a value of at least this length that holds digits and letters as no word or name does."""
    return (
        len(value) >= least
        and any(char.isdigit() for char in value)
        and any(char.isalpha() for char in value)
        and not is_placeholder(value)
        and not is_code(value)
        and not _OTHER_THING.fullmatch(value)
        and not _NUMBERED.fullmatch(value)
        and entropy(value) >= min(_LEAST_ENTROPY, math.log2(len(value)) * 0.75)
    )


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters, in bits per character."""
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())


def end_of_run(text: str, end: int, run: re.Pattern[str]) -> int:
    """Return where a run of characters that goes on after a bounded match really ends."""
    while (more := run.match(text, end)) and more.end() > end:
        end = more.end()
    return end
