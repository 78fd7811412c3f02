"""Files of a memory folder, as a browser sends them, as the lines of one import."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from common import jsonio
from common.errors import Invalid, KndlError
from memory.facts.importing import FILE_KEY, LineError
from memory.facts.rules.document import DOCUMENT_LIMIT

ONE_FACT = ".fact.json"
_BREAK = re.compile(rb"[\r\n]+")
# A line longer than this is cut there; the import refuses it for its length all the same.
_LONGEST = DOCUMENT_LIMIT + 1


class Upload(Protocol):
    """What is needed of Django's uploaded file."""

    name: str | None

    def read(self, size: int = ..., /) -> bytes: ...
    def readline(self, size: int = ..., /) -> bytes: ...


@dataclass(frozen=True)
class Refusal:
    """Why a file, or one line of it, was not taken."""

    file: str
    line: int | None
    id: str | None
    field: str | None
    detail: str


class Uploads:
    """Several files read one after the other. What an import says of its n-th line is said of the file it stood in."""

    def __init__(self, files: Sequence[Upload]) -> None:
        self._files = files
        self._names: list[str] = []
        self._starts: list[int] = []
        self.refused: list[Refusal] = []

    def lines(self) -> Iterator[bytes]:
        """Every line: those of a .jsonl file as they stand, a .fact.json file as one line that says its name."""
        count = 0
        for file in self._files:
            name = file.name or "without a name"
            self._names.append(name)
            self._starts.append(count)
            for line in self._of(name, file):
                count += 1
                yield line

    def refusals(self, errors: Sequence[LineError]) -> list[Refusal]:
        """What was refused, by file: whole files first, then lines in their order."""
        return self.refused + [self._refusal(error) for error in sorted(errors, key=lambda error: error.line)]

    def _of(self, name: str, file: Upload) -> Iterator[bytes]:
        if not name.endswith(ONE_FACT):
            while line := file.readline(_LONGEST):
                yield line
                while len(line) == _LONGEST and not line.endswith(b"\n"):
                    line = file.readline(_LONGEST)
            return
        try:
            yield _labelled(name, file)
        except KndlError as error:
            self.refused.append(Refusal(name, None, None, None, error.detail))

    def _refusal(self, error: LineError) -> Refusal:
        place = bisect_right(self._starts, error.line - 1) - 1
        name = self._names[place]
        line = None if name.endswith(ONE_FACT) else error.line - self._starts[place]
        return Refusal(name, line, error.id, error.field, error.detail)


def _labelled(name: str, file: Upload) -> bytes:
    """The document's own text as one line with the file's name put in. Raises Invalid for what is no JSON object."""
    text = file.read(_LONGEST).removeprefix(b"\xef\xbb\xbf").strip()
    document = jsonio.loads(text)
    if not isinstance(document, dict):
        raise Invalid("The file does not hold a JSON object.")
    label = jsonio.dumps({FILE_KEY: f"facts/{name}"}).encode()
    # No raw line break can stand inside a JSON string, so nothing in the document changes.
    return label[:-1] + (b"," if document else b"") + _BREAK.sub(b" ", text[1:])
