"""The query string of the page of recall."""

from typing import Annotated, Literal

from pydantic import Field

from common.strict import Instant, VisibleText
from memory.facts.asking import ScopeQuery
from memory.recall.answering import Request

LIMITS = ("10", "20", "50")
INSTANTS = ("as_of", "before")
# How many digits an id has at most; a longer number is looked for as a word.
_LONGEST_ID = 18


class RecallPageQuery(ScopeQuery):
    """A question, how it is to be answered, and a memory that was expected: its id, or words of it."""

    q: Annotated[str, VisibleText(1, 4_000)] | None = None
    limit: Literal["10", "20", "50"] = "10"
    as_of: Instant | None = None
    before: Instant | None = None
    ranking: Literal["fused", "plain"] = "fused"
    missing: Annotated[str, Field(max_length=200)] = ""

    @property
    def expected(self) -> int | None:
        """The id that `missing` names; None for words, and where nothing is missing."""
        text = self.missing.strip()
        return int(text) if text.isascii() and text.isdecimal() and len(text) <= _LONGEST_ID else None

    def request(self) -> Request:
        """What recall is asked. A page never strengthens what it looks at."""
        return Request(
            query=self.q or "",
            limit=int(self.limit),
            reinforce=False,
            explain=True,
            missing=[] if self.expected is None else [self.expected],
            plain=self.ranking == "plain",
            as_of=self.as_of,
            before=self.before,
        )
