"""The shapes of answers, for the OpenAPI description."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class SourceAnswer(BaseModel):
    """Lines that a memory rests on, first and last included."""

    model_config = ConfigDict(serialize_by_alias=True)

    session: str
    client_id: str
    begin: int = Field(alias="from")
    end: int = Field(alias="to")


class StrengthAnswer(BaseModel):
    """Strength at the asked instant, and what it is reckoned from; `tau` in days, null for what never fades."""

    effective: float = Field(ge=0, le=1)
    score: float
    tau: float | None
    scored_at: str
    pinned: bool
    fades_at: str | None


class MemoryAnswer(BaseModel):
    """A memory as a list shows it."""

    id: int
    scope: str
    shared: bool
    layer: int
    type: str
    name: str
    text: str
    classification: str | None
    fact: str | None = Field(description="The PHI fact that the memory stands for; its text is that fact's statement.")
    formed_at: str
    said_at: str | None
    archived_at: str | None
    superseded_by: int | None
    merged_into: int | None
    strength: StrengthAnswer
    sources: list[SourceAnswer]


class MemoryList(BaseModel):
    """One page; `next` is the `cursor` of the page after it."""

    at: str
    count: int
    memories: list[MemoryAnswer]
    next: str | None


class PointAnswer(BaseModel):
    """Strength at an instant."""

    at: str
    strength: float


class StepAnswer(BaseModel):
    """One time that a strength was set, and what it was after it."""

    kind: str
    at: str
    score: float
    tau: float | None
    pinned: bool
    session: str | None
    actor: str


class LinkAnswer(BaseModel):
    """A link and the memory at its other end; `out`: from this memory to that one."""

    predicate: str
    direction: Literal["out", "in"]
    memory: int
    layer: int
    type: str
    name: str
    text: str


class ShownAnswer(BaseModel):
    """That a recall showed the memory to somebody."""

    actor: str
    at: str
    purpose: str


class ForecastAnswer(BaseModel):
    """The strength to come under a τ in days."""

    tau: float | None
    fades_at: str | None
    curve: list[PointAnswer]


class WholeMemoryAnswer(MemoryAnswer):
    """A memory with everything that hangs on it."""

    attributes: dict[str, Any]
    version: int
    facts: list[str]
    links: list[LinkAnswer]
    reinforcements: list[StepAnswer]
    curve: list[PointAnswer]
    shown_to: list[ShownAnswer]
    forecast: ForecastAnswer
    what_if: ForecastAnswer | None = None


class LineAnswer(BaseModel):
    """A line, masked."""

    index: int
    role: str
    speaker: str
    text: str
    at: str


class SourceWithLines(SourceAnswer):
    """Lines that a memory rests on, as they were said."""

    lines: list[LineAnswer]


class BranchAnswer(BaseModel):
    """A memory of a lineage; `more`: it rests on more than is shown."""

    id: int
    layer: int
    type: str
    name: str
    text: str
    strength: float
    archived_at: str | None
    reinforcements: list[StepAnswer]
    sources: list[SourceWithLines]
    facts: list[str]
    rests_on: list[dict[str, Any]] = Field(description="Of the same shape.")
    more: bool


class BecameAnswer(BaseModel):
    """What a line became; `forgotten` says how many memories of it were forgotten."""

    session: str
    index: int
    fragments: list[MemoryAnswer]
    events: list[MemoryAnswer]
    concepts: list[MemoryAnswer]
    facts: list[str]
    forgotten: int


class ChangedAnswer(BaseModel):
    """What an act on several memories changed."""

    act: str
    ids: list[int]


class ReceiptAnswer(BaseModel):
    """What goes, or went, when memories are forgotten; `facts_that_stay` rest on nothing else. `receipt`: when it went.

    Of ids at most 100 are named.
    """

    preview: bool
    receipt: str | None
    memories: list[int]
    count: int
    replaced_by_them: int
    left_empty: int
    layers: dict[str, int]
    rows: dict[str, int]
    staying: list[int]
    facts_that_stay: list[str]


class MergeAnswer(BaseModel):
    """What stays, what goes into it, and its strength then."""

    preview: bool
    into: MemoryAnswer
    merged: list[int]


class TombstoneAnswer(BaseModel):
    """That something was forgotten: no content."""

    id: int
    memory: int
    scope: str
    layer: int
    kind: Literal["text", "name", "lines"]
    session: str | None
    at: str
    by: str
    reason: str
    lifted_at: str | None


class TombstoneList(BaseModel):
    """One page, the latest first."""

    count: int
    tombstones: list[TombstoneAnswer]
    next: str | None


class SettingsAnswer(BaseModel):
    """What the Space says of its layers: τ in days, thresholds of strength."""

    version: int
    review: bool
    distiller: str
    phi_to_model: bool
    fragment_tau: float
    event_tau: float
    fragment_threshold: float
    event_threshold: float
    idle_minutes: int
    full_lines: int
    quiet_seconds: int


class ConsequenceAnswer(BaseModel):
    """What the next pass takes of a layer as things are (`goes`) and with the change (`would_go`)."""

    layer: int
    live: int
    goes: int
    would_go: int
    could_return: int


class ConsequenceList(BaseModel):
    """What a change would do at the next pass."""

    next_pass_at: str
    layers: list[ConsequenceAnswer]


class PassAnswer(BaseModel):
    """The pass of a date: what it archived in each layer, or would have when it stopped to ask."""

    date: str
    at: str
    state: Literal["first", "done", "stopped", "refused", "undone"]
    archived: dict[str, int]
    decided_by: str
    decided_at: str | None


class PassList(BaseModel):
    """The latest passes, and when the next is due."""

    next_pass_at: str
    passes: list[PassAnswer]


class NextPassAnswer(MemoryList):
    """What the next pass will take in the bound scopes, unless it is recalled before then: how many of each layer."""

    next_pass_at: str
    taken: dict[str, int]
