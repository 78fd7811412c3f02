"""The shapes of answers, for the OpenAPI description."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memory.facts.rules.confidence import Band
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


class WithheldAnswer(BaseModel):
    """That a PHI fact is here and not released: whose it is and which consent does not cover it."""

    classification: str
    subject: str | None
    consent: str
    scope: str


class FactList(BaseModel):
    """One page of facts; `next` is the `cursor` of the page after it.

    `withheld` is there for people who govern the Space, behind the last row.
    """

    as_of: str
    valid_at: str
    count: int
    facts: list[FactAnswer]
    next: str | None
    withheld: list[WithheldAnswer] = Field(default_factory=list)


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


class ConsentState(BaseModel):
    """What a consent is worth: for which purposes, from when until when."""

    id: str
    purposes: list[str]
    valid_from: str
    valid_until: str | None
    withdrawn_at: str | None
    recorded_at: str


class ConsentAnswer(ConsentState):
    """A consent as it is kept."""

    subject: str
    granted_by: str
    evidence: str | None


class ClaimAnswer(BaseModel):
    """One claim of a contradiction."""

    id: str
    object: Any = None
    negated: bool
    recorded_at: str = Field(alias="recordedAt")
    effective_confidence: float
    statement: str
    source: str


class DecisionAnswer(BaseModel):
    """How a contradiction was settled."""

    id: int
    decision: Literal["superseded", "multi_valued", "dismissed"]
    facts: list[str]
    chosen: str | None
    reason: str | None
    decided_at: str
    decided_by: str


class ConflictAnswer(BaseModel):
    """A subject and predicate whose claims disagree; `preferred` is null when the best of them tie."""

    subject: str
    predicate: str
    scope: str
    preferred: ClaimAnswer | None
    tied: bool
    rule: str
    confidence_disagrees: bool
    conflicts_with: list[ClaimAnswer]
    dismissed: DecisionAnswer | None = None


class ContradictionList(BaseModel):
    """One page of contradictions."""

    as_of: str
    count: int
    conflicts: list[ConflictAnswer]
    next: str | None


class PredicateAnswer(BaseModel):
    """What was said of a predicate."""

    predicate: str
    multi_valued: bool
    said_at: str


class PredicateList(BaseModel):
    """The predicates of which something was said."""

    count: int
    predicates: list[PredicateAnswer]


class RuleAnswer(BaseModel):
    """A rule as it was written."""

    model_config = ConfigDict(extra="allow")


class RuleList(BaseModel):
    """The rules of a scope."""

    count: int
    rules: list[RuleAnswer]


class EdgeAnswer(BaseModel):
    """What a node names."""

    kind: Literal["derivedFrom", "supersedes", "inference"]
    to: str


class NodeAnswer(BaseModel):
    """A node of a walk; `missing` and `redacted` ones have nothing but their id and depth."""

    model_config = ConfigDict(extra="allow")

    id: str
    depth: int
    edges: list[EdgeAnswer]
    statement: str | None = None
    source: str | None = None
    confidence: float | None = None
    effective_confidence: float | None = None
    missing: bool | None = None
    redacted: bool | None = None
    erased: bool | None = None


class WeakestAnswer(BaseModel):
    """The node with the lowest effective confidence."""

    id: str
    effective_confidence: float


class PathAnswer(BaseModel):
    """A way along `derivedFrom`, and the product of the effective confidences on it."""

    ids: list[str]
    product: float


class ProvenanceAnswer(BaseModel):
    """A walk, breadth first."""

    root: str
    depth: int
    chain: list[NodeAnswer]
    cycle: bool
    truncated: bool
    weakest: WeakestAnswer | None
    paths: list[PathAnswer]
