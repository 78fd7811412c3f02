"""The shapes of answers, for the OpenAPI description."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memory.facts.confidence import Band
from memory.facts.views import ValidityState


class FactAnswer(BaseModel):
    """A fact's JSON-LD with what was judged of it; keys of its own that a writer added are there as well."""

    model_config = ConfigDict(extra="allow", serialize_by_alias=True)

    id: str = Field(alias="@id")
    type: str | list[str] = Field(alias="@type")
    statement: str
    subject: str | None = None
    predicate: str | None = None
    object: Any = None
    negated: bool | None = None
    confidence: float
    decay: str | None = None
    source: str
    recorded_at: str = Field(alias="recordedAt")
    valid_from: str = Field(alias="validFrom")
    valid_until: str | None = Field(None, alias="validUntil")
    observed_at: str | None = Field(None, alias="observedAt")
    supersedes: str | None = None
    derived_from: list[str] | None = Field(None, alias="derivedFrom")
    inference: str | None = None
    classification: str | None = None
    consent: str | None = None
    retention: str | None = None
    effective_confidence: float = Field(ge=0, le=1)
    band: Band
    validity_state: ValidityState
    superseded_by: str | None
    scope: str
    shared: bool
    advice: Literal["reverify"] | None = None
    warnings: list[str] = Field(default_factory=list)


class FactList(BaseModel):
    """One page of facts; `next` is the `cursor` of the page after it."""

    as_of: str
    valid_at: str
    count: int
    facts: list[FactAnswer]
    next: str | None


class LineProblem(BaseModel):
    """Why one line was refused."""

    line: int
    id: str | None
    field: str | None
    detail: str
    file: str | None = None


class ImportAnswer(BaseModel):
    """What became of the lines."""

    imported: int
    unchanged: int
    errors: list[LineProblem]


class ConsentAnswer(BaseModel):
    """A consent as it is kept."""

    id: str
    subject: str
    purposes: list[str]
    granted_by: str
    valid_from: str
    valid_until: str | None
    withdrawn_at: str | None
    evidence: str | None
    recorded_at: str
