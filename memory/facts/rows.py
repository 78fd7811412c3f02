"""The columns of a fact, and its words, in one place for writing and reading."""

from collections.abc import Mapping
from typing import Any

from common.text import lexemes
from memory.facts.rules.record import ABSENT, FactRecord

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
    found = set(lexemes("\n".join((record.statement, record.subject or "", record.predicate or ""))))
    return " ".join([_quoted(f"{scope}:{word}") for word in sorted(found)])


def words_query(scope: int, text: str) -> str:
    """The text of a tsquery for all words of `text` in a scope; empty when it holds no word."""
    return " & ".join(_quoted(f"{scope}:{word}") for word in dict.fromkeys(lexemes(text)))


def record_of(row: Mapping[str, Any]) -> FactRecord:
    """The record of a row that has RECORD_COLUMNS, `has_object` and `derived_from`."""
    values = {name: row[name] for name in RECORD_COLUMNS}
    values["object"] = row["object"] if row["has_object"] else ABSENT
    return FactRecord(**values, tenant=None, derived_from=list(row["derived_from"] or ()))


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
