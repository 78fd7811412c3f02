"""The shapes of answers about distillation, for the OpenAPI description."""

from typing import Any, Literal

from pydantic import BaseModel, Field


class LedgerRange(BaseModel):
    """Lines of a session that are distilled, first and last included."""

    session: str
    first: int = Field(alias="from")
    last: int = Field(alias="to")


class DistillationAnswer(BaseModel):
    """A run of distillation. `outcome` counts what came of it; `ranges` is there when one run is asked for."""

    id: str
    scope: str
    session: str | None
    trigger: Literal["idle", "full", "manual"]
    status: Literal["pending", "running", "done", "failed"]
    distiller: str | None
    asked_at: str
    started_at: str | None
    finished_at: str | None
    attempts: int
    reason: str | None
    next_try_at: str | None
    outcome: dict[str, int]
    undone_at: str | None
    ranges: list[LedgerRange] = Field(default_factory=list)


class DistillationList(BaseModel):
    """Runs, the latest first; `next` is the `before` of the page after."""

    distillations: list[DistillationAnswer]
    next: str | None


class Undone(BaseModel):
    """What went with a run that was undone."""

    id: str
    gone: dict[str, int]


class ProposalAnswer(BaseModel):
    """A proposal that waits, or what was decided of it; `body` is what it proposes."""

    id: int
    scope: str
    run: str
    kind: Literal["fragment", "event", "concept", "fact"]
    state: Literal["waiting", "approved", "refused"]
    body: dict[str, Any]
    memory: str | None
    decided_at: str | None


class ProposalList(BaseModel):
    """Proposals that wait, in the order they were made; `next` is the `after` of the page after."""

    proposals: list[ProposalAnswer]
    next: int | None


class Decided(BaseModel):
    """How many proposals a decision took, those that went with them included."""

    decided: int
