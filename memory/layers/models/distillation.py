"""Runs of distillation, the ledger, what waits for a person, and what must not come back."""

import uuid

from django.db import models
from django.db.models import Q


class Distillation(models.Model):
    """A run: which scope, what started it, which line ranges it took, what came of it.

    `plan` is the snapshot, a list of [session, first, last]; each range becomes a row of `DistilledRange` when its
    memories are committed. While it runs, `lease` names the worker that holds it until `lease_until`.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    class Trigger(models.TextChoices):
        IDLE = "idle"
        FULL = "full"
        MANUAL = "manual"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    scope = models.IntegerField()
    session = models.UUIDField(null=True)
    trigger = models.CharField(max_length=8, choices=Trigger)
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    asked_by = models.TextField()
    asked_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    distiller = models.TextField(default="")
    plan = models.JSONField(null=True)
    outcome = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=0)
    reason = models.TextField(default="")
    next_try_at = models.DateTimeField(null=True)
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)
    undone_by = models.TextField(default="")

    class Meta:
        db_table = "distillation"
        constraints = [
            models.UniqueConstraint(fields=["scope"], condition=Q(state="running"), name="one_running_a_scope"),
            models.UniqueConstraint(
                fields=["scope"], condition=Q(state="pending", session=None), name="one_pending_a_scope"
            ),
        ]
        indexes = [
            models.Index(fields=["scope", "-asked_at"], name="distillation_recent"),
            models.Index(
                fields=["next_try_at"], condition=Q(state__in=["pending", "running"]), name="distillation_open"
            ),
        ]

    def __str__(self) -> str:
        return f"distillation {self.id}"


class DistilledRange(models.Model):
    """The ledger: that lines `first` to `last` of a session were distilled, once in each pass over the session."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        Distillation, models.DO_NOTHING, db_constraint=False, db_column="run", related_name="ranges"
    )
    scope = models.IntegerField()
    session = models.UUIDField()
    generation = models.SmallIntegerField()
    first = models.IntegerField()
    last = models.IntegerField()
    at = models.DateTimeField()

    class Meta:
        db_table = "distilled_range"
        constraints = [models.UniqueConstraint(fields=["session", "generation", "first"], name="range_distilled_once")]

    def __str__(self) -> str:
        return f"{self.session} {self.first}–{self.last}"


class Proposal(models.Model):
    """What a distiller proposes and a person decides. `key` is its name within the batch; `node` what became of it."""

    class State(models.TextChoices):
        WAITING = "waiting"
        APPROVED = "approved"
        REFUSED = "refused"

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        Distillation, models.DO_NOTHING, db_constraint=False, db_column="run", related_name="proposals"
    )
    scope = models.IntegerField()
    batch = models.UUIDField()
    kind = models.CharField(max_length=8)
    key = models.TextField()
    body = models.JSONField()
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    node = models.BigIntegerField(null=True)
    made_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.TextField(default="")

    class Meta:
        db_table = "proposal"
        constraints = [models.UniqueConstraint(fields=["batch", "kind", "key"], name="proposal_key_once")]
        indexes = [models.Index(fields=["scope", "id"], condition=Q(state="waiting"), name="proposal_waiting")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Tombstone(models.Model):
    """What was forgotten and must not come back: a text or a name by keyed hash, or lines. It holds no content."""

    class Kind(models.TextChoices):
        TEXT = "text"
        NAME = "name"
        LINES = "lines"

    id = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    layer = models.SmallIntegerField()
    digest = models.BinaryField(max_length=32, null=True)
    session = models.UUIDField(null=True)
    first = models.IntegerField(null=True)
    last = models.IntegerField(null=True)
    node = models.BigIntegerField()
    at = models.DateTimeField()
    by = models.TextField()
    reason = models.TextField(default="")
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "tombstone"
        indexes = [
            models.Index(fields=["scope", "digest"], condition=Q(lifted_at=None), name="tombstone_digest"),
            models.Index(fields=["session"], condition=Q(lifted_at=None), name="tombstone_lines"),
            models.Index(fields=["scope", "-id"], name="tombstone_recent"),
        ]

    def __str__(self) -> str:
        return f"tombstone of {self.node}"
