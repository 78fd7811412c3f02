"""Ids of facts: what is one, and how one is made."""

import hashlib
import re
import unicodedata
from datetime import datetime

from common.times import format_instant

PREFIX = "fact:"
MOST_CHARACTERS = 500

_SLUG_CHARACTERS = 80
_FILE_SUFFIX = ".fact.json"
_FILE_NAME_BYTES = 255

_FORBIDDEN = re.compile(r"[\s/?#%\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_COMPACT = str.maketrans("", "", "-:")
_APART = re.compile(r"[\W_]+")


def check_fact_id(text: str) -> str:
    """Return a fact's id in Unicode normal form C, or raise ValueError saying what is wrong with it.

    An id is `fact:` and 1–500 characters without white space, control characters and `/ ? # % \\`.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if not text.startswith(PREFIX):
        raise ValueError("must begin with fact:")
    length = len(text) - len(PREFIX)
    if not 1 <= length <= MOST_CHARACTERS:
        raise ValueError(f"must have 1 to {MOST_CHARACTERS} characters after fact:")
    if _FORBIDDEN.search(text):
        raise ValueError("must not contain white space, control characters or any of / ? # % \\")
    return text


def slug(text: str) -> str:
    """Return `text` in lower case with every run of other characters than letters and digits as one hyphen.

    Letters of any script stay, with the marks that belong to them; at most 80 characters; `fact` when nothing is left.
    """
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    if composed.isascii():
        parted = _APART.sub("-", composed)
    else:
        parted = "-".join("".join(char if _is_part_of_a_word(char) else " " for char in composed).split())
    return parted[:_SLUG_CHARACTERS].strip("-") or "fact"


def made_id(subject: str | None, predicate: str | None, statement: str, recorded_at: datetime, unique: str) -> str:
    """Return the id of a fact written without one: `fact:<subject>:<predicate>-<recordedAt>-<suffix>`.

    A missing subject or predicate leaves its part out. The suffix is the first 8 hex digits of the statement's SHA-256
    and `unique`, lower-case letters and digits that keep two identical writes of one microsecond apart.
    """
    named = ":".join(slug(part) for part in (subject, predicate) if part is not None)
    stamp = format_instant(recorded_at.replace(microsecond=0)).translate(_COMPACT).lower()
    digest = hashlib.sha256(statement.encode()).hexdigest()[:8]
    return PREFIX + "-".join(part for part in (named, stamp, digest + unique) if part)


def made_phi_id(unique: str) -> str:
    """Return the id of a PHI fact written without one: it tells nothing of what the fact says."""
    return f"{PREFIX}phi-{unique}"


def file_name(fact_id: str) -> str:
    """Return the name of the file a fact is exported to: the id with `:` as `-`, plus `.fact.json`.

    A name too long for a file system is cut and ends in a digest of the id.
    """
    stem = fact_id.replace(":", "-")
    if len((stem + _FILE_SUFFIX).encode()) <= _FILE_NAME_BYTES:
        return stem + _FILE_SUFFIX
    ending = "-" + hashlib.sha256(fact_id.encode()).hexdigest()[:16] + _FILE_SUFFIX
    room = _FILE_NAME_BYTES - len(ending)
    return stem.encode()[:room].decode(errors="ignore") + ending


def _is_part_of_a_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")
