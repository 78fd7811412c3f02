"""The errors of KIP: a code, its name, what is wrong and where, and what to do next."""

from typing import Any

NAMES = {
    "KIP_1001": "InvalidSyntax",
    "KIP_1002": "InvalidIdentifier",
    "KIP_2001": "TypeMismatch",
    "KIP_2002": "ConstraintViolation",
    "KIP_2003": "InvalidValueType",
    "KIP_3001": "ReferenceError",
    "KIP_3002": "NotFound",
    "KIP_3003": "DuplicateExists",
    "KIP_3004": "ImmutableTarget",
    "KIP_3005": "VersionConflict",
    "KIP_4001": "Timeout",
    "KIP_4002": "ResourceExhausted",
    "KIP_4003": "Internal",
}

# The HTTP status of an answer that holds a single error of that code.
HTTP_STATUS = {
    "KIP_1001": 400,
    "KIP_1002": 400,
    "KIP_2001": 400,
    "KIP_2002": 400,
    "KIP_2003": 400,
    "KIP_3001": 400,
    "KIP_3002": 404,
    "KIP_3003": 409,
    "KIP_3004": 403,
    "KIP_3005": 409,
    "KIP_4001": 408,
    "KIP_4002": 400,
    "KIP_4003": 500,
}

# What to do next where the place that raises has nothing better to say.
_HINTS = {
    "KIP_1001": "Correct the text at the place shown and send it again.",
    "KIP_1002": "Names start with a letter or _ and go on with letters, digits and _.",
    "KIP_2001": "List what there is: DESCRIBE CONCEPT TYPES or DESCRIBE PROPOSITION TYPES.",
    "KIP_2002": 'Read the definition first: DESCRIBE CONCEPT TYPE "…" or DESCRIBE PROPOSITION TYPE "…".',
    "KIP_2003": 'Read the definition first: DESCRIBE CONCEPT TYPE "…".',
    "KIP_3001": "Bind the variable in WHERE, or define the handle in an earlier block of the UPSERT.",
    "KIP_3002": "Find it first with SEARCH or FIND, or create it with UPSERT.",
    "KIP_3003": "Narrow the pattern until it matches one element, for example by type and name.",
    "KIP_3004": "This element belongs to the protected structure; write to an element of your own.",
    "KIP_3005": "Read metadata._version again and repeat the change with that version.",
    "KIP_4001": "Narrow the pattern, or ask for fewer rows with LIMIT.",
    "KIP_4002": "Ask for less at a time: smaller texts, narrower patterns, LIMIT and CURSOR.",
    "KIP_4003": "Send it again; if it fails again, tell whoever runs this instance.",
}

_SHOWN = 100  # characters of the source line that a message quotes at most


class KipError(Exception):
    """An error that a KIP answer reports.

    `at` is the offset of the place in the text, in characters; `located` turns it into line, column and caret once the
    text is at hand. `hint` says what to do next; there always is one. `data` is any JSON value for programs.
    """

    def __init__(
        self, code: str, message: str, *, hint: str | None = None, at: int | None = None, data: Any = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.name = NAMES[code]
        self.message = message
        self.hint = hint or _HINTS[code]
        self.at = at
        self.data = data
        self._is_located = False

    @property
    def http_status(self) -> int:
        """The status of an answer with this error alone."""
        return HTTP_STATUS[self.code]

    def located(self, text: str) -> "KipError":
        """Return this error with line:column before its message, and below it the source line with a caret."""
        if self.at is None or self._is_located:
            return self
        line, column, excerpt = _place(text, self.at)
        shown = KipError(
            self.code, f"{line}:{column}: {self.message}\n{excerpt}", hint=self.hint, at=self.at, data=self.data
        )
        shown._is_located = True
        return shown

    def as_json(self) -> dict[str, Any]:
        """Return the `error` member of an answer."""
        body = {"code": self.code, "name": self.name, "message": self.message, "hint": self.hint}
        return body if self.data is None else {**body, "data": self.data}


def _place(text: str, at: int) -> tuple[int, int, str]:
    at = min(at, len(text))
    begin = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[begin : len(text) if end < 0 else end].rstrip("\r")
    column = at - begin
    cut = max(0, column - _SHOWN + 20)
    quoted = line[cut : cut + _SHOWN].replace("\t", " ")
    return text.count("\n", 0, at) + 1, column + 1, f"  {quoted}\n  {' ' * (column - cut)}^"
