"""The columns of a fact, and its words, in one place for writing and reading."""

from collections.abc import Mapping
from typing import Any

from common.text import lexemes
from memory.facts.record import ABSENT, FactRecord

# The columns of a record, in the order of COPY; `derived_from` is a table of its own.
RECORD_COLUMNS = (
    "id",
    "type",
    "statement",
    "subject",
    "predicate",
    "object",
    "negated",
    "confidence",
    "decay",
    "decay_rate",
    "decay_window",
    "source",
    "recorded_at",
    "valid_from",
    "valid_until",
    "observed_at",
    "supersedes",
    "inference",
    "classification",
    "consent",
    "retention",
    "retention_at",
    "extra",
    "spelling",
)


def words(scope: int, record: FactRecord) -> str:
    """The fact's words as the text of a tsvector, each behind the number of its scope (`17:score`).

    With the scope in the word, a search never walks through the entries of other scopes.
    """
    parts = (record.statement, record.subject, record.predicate)
    found = {word for part in parts if part for word in lexemes(part)}
    return " ".join(_quoted(f"{scope}:{word}") for word in sorted(found))


def words_query(scopes: list[int], text: str) -> str | None:
    """The text of a tsquery for all words of `text`, in any of the scopes; None when it holds no word."""
    found = list(dict.fromkeys(lexemes(text)))
    if not found:
        return None
    return " | ".join("(" + " & ".join(_quoted(f"{scope}:{word}") for word in found) + ")" for scope in scopes)


def record_of(row: Mapping[str, Any]) -> FactRecord:
    """The record of a row that has RECORD_COLUMNS, `has_object` and `derived_from`."""
    values = {name: row[name] for name in RECORD_COLUMNS}
    values["object"] = row["object"] if row["has_object"] else ABSENT
    return FactRecord(**values, tenant=None, derived_from=list(row["derived_from"] or ()))


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
