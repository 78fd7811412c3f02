"""Strength: what recall rewrites, the history of each memory, and the passes that archive."""

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q

from memory.layers.models.graph import Node


class NodeStrength(models.Model):
    """Score, and from when it decays with which τ (days; infinite: never). No index has them, so updates are HOT."""

    node = models.OneToOneField(
        Node, models.DO_NOTHING, db_constraint=False, primary_key=True, db_column="node", related_name="strength"
    )
    scope = models.IntegerField()
    layer = models.SmallIntegerField()
    pinned = models.BooleanField(default=False)
    score = models.FloatField()
    tau = models.FloatField()
    scored_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "node_strength"
        constraints = [
            models.CheckConstraint(condition=Q(score__gte=0, score__lte=1, tau__gt=0), name="strength_range")
        ]
        indexes = [models.Index(fields=["scope", "layer"], name="node_strength_scope")]

    def __str__(self) -> str:
        return f"strength of {self.node_id}"


class Reinforcement(models.Model):
    """Each time a node's strength was set anew: what by, when, and score, τ and pin after it.

    Strength at an earlier instant is read from the last row before it; the first is written when the node is formed.
    """

    class Kind(models.TextChoices):
        FORMED = "formed"
        RECALL = "recall"
        DUPLICATE = "duplicate"
        PINNED = "pinned"
        UNPINNED = "unpinned"
        RESTORED = "restored"
        ARCHIVED = "archived"
        UNDONE = "undone"
        SET = "set"

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(
        Node, models.DO_NOTHING, db_constraint=False, db_column="node", related_name="reinforcements", db_index=False
    )
    scope = models.IntegerField()
    kind = models.CharField(max_length=12, choices=Kind)
    at = models.DateTimeField()
    score = models.FloatField()
    tau = models.FloatField()
    pinned = models.BooleanField(default=False)
    session = models.UUIDField(null=True)
    run = models.UUIDField(null=True)
    actor = models.TextField(default="")

    class Meta:
        db_table = "reinforcement"
        constraints = [
            models.UniqueConstraint(
                fields=["node", "session"], condition=Q(kind="duplicate"), name="reinforced_once_a_session"
            )
        ]
        indexes = [
            models.Index(fields=["node", "at"], name="reinforcement_of"),
            models.Index(fields=["run"], condition=Q(run__isnull=False), name="reinforcement_run"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.node_id}"


class DecayPass(models.Model):
    """The decay pass of one local date. A pass that would take too much is `stopped` until a person decides."""

    class State(models.TextChoices):
        FIRST = "first"
        DONE = "done"
        STOPPED = "stopped"
        REFUSED = "refused"
        UNDONE = "undone"

    date = models.DateField(primary_key=True)
    at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State)
    archived = models.JSONField(default=dict)
    decided_by = models.TextField(default="")
    decided_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "decay_pass"

    def __str__(self) -> str:
        return f"decay pass of {self.date}"


class RecallUse(models.Model):
    """One recall: who asked in which scope, when, and which nodes they were shown. The question is not kept."""

    id = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    actor = models.TextField()
    at = models.DateTimeField()
    purpose = models.TextField(default="")
    nodes = models.JSONField(default=list)

    class Meta:
        db_table = "recall_use"
        indexes = [
            models.Index(fields=["scope", "at"], name="recall_use_at"),
            GinIndex(fields=["nodes"], name="recall_use_nodes", opclasses=["jsonb_path_ops"]),
        ]

    def __str__(self) -> str:
        return f"recall by {self.actor}"
