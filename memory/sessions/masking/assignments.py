"""Values given to names: settings, JSON, YAML, XML, tables, code, the keys of connection strings."""

import re
from collections.abc import Iterator

from memory.sessions.masking.ordinary_words import is_ordinary
from memory.sessions.masking.passphrases import is_phrase, words_of
from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import (
    Value,
    is_about_secrets,
    is_code,
    is_placeholder,
    is_plain,
    looks_random,
    looks_secret,
    value_at,
)
from memory.sessions.masking.words import Noun

_SIGN = re.compile(
    r"[\"'`\])*_]{0,4}[ \t]{0,20}(?:(?P<equals>:=|=>|==?|:=)|(?P<colon>[:：][*_]{0,3})|(?P<bar>\|)"
    r"|(?P<close></\w{1,10}>\s{0,8}<[a-z]{1,10}>|>))"
    r"[ \t]{0,40}(?:\n[ \t]{1,20}(?=[\"']))?"
)
# An element that says its name in one attribute and its value in another; a variable of a container likewise.
_ATTRIBUTE = re.compile(
    r"[\"']\s{1,8}(?:value|content|default)\s{0,2}=\s{0,2}|[\"']?\s{0,2},?\s{1,20}[\"']?value[\"']?\s{0,2}:\s{0,4}"
)
_RANDOM = re.compile(r"[A-Za-z0-9+=_-]{20,400}")
# One of two arguments: define("DB_PASSWORD", "…"), though lists of names look so too.
_ARGUMENT = re.compile(r"[\"']\s{0,2},\s{0,3}(?=[\"'])")
_MANIFEST = re.compile(r"kind[\"']?: [\"']?Secret\b")
_MANIFEST_ENTRY = re.compile(
    r"^[ \t]{1,12}[\"']?[\w.-]{1,80}[\"']?: {1,4}[\"']?(?P<value>[^\s\"'{|>]{4,8192})", re.MULTILINE
)
_MANIFEST_META = frozenset(("name", "namespace", "type", "kind", "labels", "annotations", "app", "creationTimestamp"))
_BLOCK = re.compile(r"(?:data|stringData)[\"']?:")
_LONGEST_BLOCK = 20_000
_SHORTEST_LOOSE = 20
_SHORTEST_TOKEN = 16
_SHORTEST_KEY = 12
_SHORTEST_DOUBTFUL = 6


def find(reading: Reading) -> Iterator[Span]:
    """Yield the values that stand behind a name ending in a word for a secret and a sign of assignment."""
    text = reading.text
    done = 0
    for noun in reading.nouns:
        if noun.start < done:
            continue
        sign = _SIGN.match(text, noun.end) or _ATTRIBUTE.match(text, noun.end) or _ARGUMENT.match(text, noun.end)
        value = value_at(text, sign.end()) if sign else None
        if sign and value and _is_secret(noun, value, sign, text):
            end = value.end if value.quoted else words_of(text, value).end
            yield Span(value.start, end, noun.kind)
            done = end
    if "Secret" in text and _MANIFEST.search(text):
        yield from _of_a_manifest(text)


def _is_secret(noun: Noun, value: Value, sign: re.Match[str], text: str) -> bool:
    if noun.kind != "password" and not any(map(str.isdigit, value.text)) and not value.quoted:
        return False
    if is_placeholder(value.text) or (is_about_secrets(value.text) and not looks_random(value.text, 12)):
        return False
    if noun.suffixed or noun.strength == "doubtful":
        return looks_secret(value.text) and len(value.text) >= _SHORTEST_DOUBTFUL and not is_code(value.text)
    if noun.strength == "loose":
        return looks_random(value.text, _SHORTEST_LOOSE) and _RANDOM.fullmatch(value.text) is not None
    if noun.strength in ("token", "key"):
        least = _SHORTEST_TOKEN if noun.strength == "token" else _SHORTEST_KEY
        return (value.quoted or not is_code(value.text)) and (
            looks_random(value.text, least - 8 * (noun.joined or value.quoted) + 2)
            or (value.quoted and noun.joined and looks_secret(value.text))
        )
    if sign.re is _ARGUMENT:
        return looks_secret(value.text) and not is_code(value.text)
    if value.quoted:
        return not all(map(is_ordinary, value.text.split())) and not is_code(value.text)
    return not is_code(value.text) and _is_bare_password(noun, value, sign, text)


def _is_bare_password(noun: Noun, value: Value, sign: re.Match[str], text: str) -> bool:
    if looks_secret(value.text):
        return True
    if value.text.isdecimal() or not is_plain(value.text):
        return False
    phrase = words_of(text, value)
    if is_ordinary(value.text) and not is_phrase(phrase):
        return False
    after = text[phrase.end : phrase.end + 1]
    if sign["equals"] if "equals" in sign.re.groupindex else False:
        return (noun.joined or text[sign.end() - 1].isspace()) and after in ("", "\n", "\r", ".", "&", " ")
    return after in ("", "\n", "\r", ".", ",", "!", "&", "<", "|") or text[phrase.end : phrase.end + 2] == " |"


def _of_a_manifest(text: str) -> Iterator[Span]:
    done = 0
    for block in _BLOCK.finditer(text):
        start, done = max(done, block.end()), block.end() + _LONGEST_BLOCK
        for entry in _MANIFEST_ENTRY.finditer(text, start, done):
            name = entry[0].split(":")[0].strip(" \t\"'")
            if name not in _MANIFEST_META and not is_placeholder(entry["value"]):
                yield Span(*entry.span("value"), "token")
