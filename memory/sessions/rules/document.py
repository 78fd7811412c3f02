"""What a client may say: a session as it opens one, and lines as it appends them."""

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from common.errors import FieldError, Invalid
from common.jsonio import dumps
from common.strict import Instant, StrictModel, VisibleText
from memory.facts.rules.document import Classification, Reference, Term

PHI = "PHI"
LONGEST_TEXT = 200_000
MOST_LINES = 5_000
MORE_LIMIT = 64 * 1024
LAST_INDEX = 2**31 - 1

Role = Literal["user", "assistant", "system", "tool"]


class SessionInput(StrictModel):
    """A session as its client opens it. `client_id` is the client's own name for it, for good.

    A session opened as PHI names the subject and the consent; its title is not kept.
    """

    client_id: Annotated[str, VisibleText(1, 500)]
    title: Annotated[str, Field(max_length=500)] | None = None
    started_at: Instant | None = None
    classification: Classification | None = None
    subject: Term | None = None
    consent: Reference | None = None

    def require_consistent(self) -> Self:
        """Raise Invalid naming `subject` or `consent`: a PHI session has both, any other neither."""
        named = {"subject": self.subject, "consent": self.consent}
        if self.classification == PHI:
            faults = [FieldError(name, "is required for PHI") for name, value in named.items() if value is None]
        else:
            faults = [FieldError(name, "is for PHI only") for name, value in named.items() if value is not None]
        if faults:
            raise Invalid(errors=faults)
        return self


class LineInput(StrictModel):
    """One line as it was said. Whatever else the client sends with it is kept beside it."""

    model_config = ConfigDict(extra="allow")

    role: Role
    speaker: Annotated[str, Field(max_length=200)] | None = None
    text: Annotated[str, VisibleText(1, LONGEST_TEXT)]
    at: Annotated[Instant | None, Field(description="When it was said; when it arrives, if left out.")] = None

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.model_extra and len(dumps(self.model_extra).encode()) > MORE_LIMIT:
            raise ValueError(f"must not carry more than {MORE_LIMIT:,} bytes beside role, speaker, text and at")
        return self

    @property
    def more(self) -> dict[str, Any] | None:
        """What came beside the fields that every line has."""
        return self.model_extra or None


class LinesInput(StrictModel):
    """Lines to append; `from_index` is the index of the first of them."""

    from_index: Annotated[int, Field(ge=0, le=LAST_INDEX - MOST_LINES)]
    lines: Annotated[list[LineInput], Field(min_length=1, max_length=MOST_LINES)]
