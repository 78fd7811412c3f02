"""Many facts at once, as JSON Lines: a live bulk write, or the import of a memory folder.

Lines are taken in batches, each in a transaction of its own with one audit row. A line that cannot be taken is
reported by its number and never stops the others. An import may be repeated: what is there already stays as it is.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from audit.recording import Act
from common import jsonio
from common.errors import Conflict, FieldError, Invalid, KndlError, Unprocessable
from common.strict import validated
from common.times import now
from memory.facts.reading import records_by_id
from memory.facts.rules.document import DOCUMENT_LIMIT, FactInput
from memory.facts.rules.folder import CONTEXT_PATH, check_file
from memory.facts.rules.record import FactRecord, as_document, record_from_import, record_from_input
from memory.facts.writing import (
    Incoming,
    existing_ids,
    insert,
    known_consents,
    named_by,
    refuse_superseded,
    refuse_unknown,
    released_ids,
    superseders,
)
from spaces.access import Binding
from spaces.databases.transactions import attempted

BATCH = 2_000
FILE_KEY = "kndl:file"


@dataclass(frozen=True)
class LineError:
    """Why a line was refused; `id` and `file` where the line named them."""

    line: int
    id: str | None
    field: str | None
    detail: str
    file: str | None = None

    def document(self) -> dict[str, Any]:
        found = {"line": self.line, "id": self.id, "field": self.field, "detail": self.detail}
        return found if self.file is None else found | {"file": self.file}


@dataclass
class Outcome:
    """What became of the lines."""

    imported: int = 0
    unchanged: int = 0
    errors: list[LineError] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        return {
            "imported": self.imported,
            "unchanged": self.unchanged,
            "errors": [error.document() for error in sorted(self.errors, key=lambda error: error.line)],
        }


@dataclass(frozen=True)
class _Line:
    number: int
    raw: dict[str, Any]
    record: FactRecord
    file: str | None


Checked = Callable[[Binding, list[_Line]], Iterator[_Line | LineError | None]]


def import_facts(binding: Binding, lines: Iterable[bytes], *, as_scope: bool = False) -> Outcome:
    """Import the facts of a memory folder; they keep their ids and `recordedAt`.

    A `tenant` other than the scope's name is refused, unless `as_scope` says to take the facts as the scope's own.
    """

    def read(number: int, raw: dict[str, Any], file: str | None) -> _Line:
        record = record_from_import(raw, now())
        if record.tenant not in (None, binding.one.name) and not as_scope:
            raise Unprocessable(f"is {record.tenant}, and the scope is {binding.one.name}", field="tenant")
        return _Line(number, raw, record, file)

    return _taken(binding, lines, read, _checked_import, imported=True)


def write_facts(binding: Binding, lines: Iterable[bytes]) -> Outcome:
    """Write many facts as if each were written alone; a line may name facts of earlier lines."""

    def read(number: int, raw: dict[str, Any], file: str | None) -> _Line:
        given = validated(FactInput, raw)
        if given.tenant not in (None, binding.one.name):
            raise Unprocessable(f"is {given.tenant}, and the scope is {binding.one.name}", field="tenant")
        return _Line(number, raw, record_from_input(given, now(), secrets.token_hex(8)), None)

    return _taken(binding, lines, read, _checked_bulk, imported=False)


def _taken(
    binding: Binding,
    lines: Iterable[bytes],
    read: Callable[[int, dict[str, Any], str | None], _Line],
    check: Checked,
    *,
    imported: bool,
) -> Outcome:
    outcome = Outcome()
    numbered = iter(enumerate(lines, start=1))
    while batch := list(islice(numbered, BATCH)):
        good: list[_Line] = []
        for number, text in batch:
            if not text.strip():
                continue
            result = _read_line(number, text, read)
            if isinstance(result, LineError):
                outcome.errors.append(result)
            else:
                good.append(result)
        if good:
            _write_batch(binding, good, check, outcome, imported=imported)
    return outcome


def _read_line(
    number: int, text: bytes, read: Callable[[int, dict[str, Any], str | None], _Line]
) -> "_Line | LineError":
    fact_id = file = None
    try:
        if len(text) > DOCUMENT_LIMIT:
            raise Invalid(f"The line has more than {DOCUMENT_LIMIT:,} bytes.")
        raw = jsonio.loads(text)
        if not isinstance(raw, dict):
            raise Invalid("The line is not a JSON object.")
        fact_id = raw.get("@id") if isinstance(raw.get("@id"), str) else None
        if FILE_KEY in raw:
            file = check_file(raw.pop(FILE_KEY))
        return read(number, raw, file)
    except KndlError as error:
        return _refusal(number, fact_id, file, error)


def _refusal(number: int, fact_id: str | None, file: str | None, error: KndlError) -> LineError:
    fault = error.errors[0] if error.errors else FieldError("", error.detail)
    return LineError(number, fact_id, fault.field or None, fault.detail, file)


def _write_batch(binding: Binding, lines: list[_Line], check: Checked, outcome: Outcome, *, imported: bool) -> None:
    def write(act: Act) -> list[_Line | LineError | None]:
        results = list(check(binding, lines))
        taken = [Incoming(line.record, line.file) for line in results if isinstance(line, _Line)]
        if taken:
            insert(act, binding, taken, imported=imported)
        else:
            act.record(binding.caller.actor, "fact.import" if imported else "fact.write", scope=binding.one.pk, count=0)
        return results

    for result in attempted(write):
        if isinstance(result, _Line):
            outcome.imported += 1
        elif result is None:
            outcome.unchanged += 1
        else:
            outcome.errors.append(result)


def _checked_import(binding: Binding, lines: list[_Line]) -> Iterator[_Line | LineError | None]:
    """Each line to be written, its refusal, or None for one that is there already, word for word."""
    present = records_by_id(binding, [line.record.id for line in lines])
    winners = superseders(binding, [line.record for line in lines])
    for line in lines:
        record = line.record
        if record.id in present:
            taken = LineError(line.number, record.id, "@id", "is taken by another fact", line.file)
            yield None if _is_the_same(line.raw, present[record.id]) else taken
            continue
        try:
            refuse_superseded(winners, record)
        except Conflict as error:
            yield _refusal(line.number, record.id, line.file, error)
            continue
        present[record.id] = record
        if record.supersedes:
            winners[record.supersedes] = record.id
        yield line


def _is_the_same(raw: dict[str, Any], there: FactRecord | None) -> bool:
    documents = () if there is None else (as_document(there), as_document(there, CONTEXT_PATH))
    return any(_alike(raw, document) for document in documents)


def _alike(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; in Python true and 1 are equal, in JSON they are not."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _checked_bulk(binding: Binding, lines: list[_Line]) -> Iterator[_Line | LineError | None]:
    """Each line to be written, or its refusal; every id it names must be there or have come before."""
    records = [line.record for line in lines]
    taken = existing_ids(binding, [record.id for record in records])
    known = released_ids(binding, [name for record in records for name in named_by(record)])
    consents = known_consents(binding, records)
    winners = superseders(binding, records)
    for line in lines:
        record = line.record
        try:
            if record.id in taken:
                raise Conflict("is taken", field="@id")
            refuse_unknown(record, known, consents)
            refuse_superseded(winners, record)
        except KndlError as error:
            yield _refusal(line.number, line.raw.get("@id"), line.file, error)
            continue
        taken.add(record.id)
        known.add(record.id)
        if record.supersedes:
            winners[record.supersedes] = record.id
        yield line
