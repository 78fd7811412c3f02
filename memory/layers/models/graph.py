"""The graph: `node` is the truth, links join nodes and links, sources lead to lines and facts.

Foreign keys are made by the migrations, since they cascade in the database.
"""

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Node(models.Model):
    """A fragment (layer 1), an event (2), a concept (3), or what KIP stores beside them (0).

    Ids of nodes and links come from one sequence, for either may be the end of a link. `phi_ref` names the PHI fact
    that the node stands for; such a node holds none of its words. `run` is the distillation that made it; `said_at` is
    when the first of its lines was spoken. At `expires_at` a tick archives it; None when nothing is due any more.
    """

    id = models.BigIntegerField(primary_key=True)
    scope = models.IntegerField()
    layer = models.SmallIntegerField()
    type = models.TextField(db_collation="C")
    name = models.TextField(db_collation="C")
    text = models.TextField(default="")
    attributes = models.JSONField(default=dict)
    metadata = models.JSONField(default=dict)
    version = models.IntegerField(default=1)
    classification = models.CharField(max_length=16, null=True)
    phi_ref = models.TextField(null=True, db_collation="C")
    run = models.UUIDField(null=True)
    formed_at = models.DateTimeField()
    updated_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)
    said_at = models.DateTimeField(null=True)
    superseded_by = models.BigIntegerField(null=True)
    merged_into = models.BigIntegerField(null=True)

    class Meta:
        db_table = "node"
        constraints = [
            models.UniqueConstraint(fields=["scope", "type", "name"], name="node_name_once"),
            models.CheckConstraint(condition=Q(layer__gte=0, layer__lte=3), name="node_layer"),
            models.CheckConstraint(condition=Q(phi_ref__isnull=True) | Q(text=""), name="node_phi_has_no_words"),
        ]
        indexes = [
            models.Index(fields=["scope", "type", "id"], name="node_page"),
            models.Index(fields=["scope", "layer", "id"], name="node_layers"),
            models.Index(fields=["scope", "name"], name="node_by_name"),
            models.Index(fields=["run"], condition=Q(run__isnull=False), name="node_run"),
            models.Index(fields=["superseded_by"], condition=Q(superseded_by__isnull=False), name="node_superseded"),
            models.Index(fields=["merged_into"], condition=Q(merged_into__isnull=False), name="node_merged"),
            models.Index(fields=["scope", "phi_ref"], condition=Q(phi_ref__isnull=False), name="node_phi"),
            models.Index(fields=["expires_at"], condition=Q(expires_at__isnull=False), name="node_expiry"),
            GinIndex(fields=["attributes"], name="node_attributes", opclasses=["jsonb_path_ops"], fastupdate=False),
        ]

    def __str__(self) -> str:
        return self.name


class Link(models.Model):
    """Subject, predicate, object: either end may be a node or a link."""

    id = models.BigIntegerField(primary_key=True)
    scope = models.IntegerField()
    subject = models.BigIntegerField()
    predicate = models.TextField(db_collation="C")
    object = models.BigIntegerField()
    attributes = models.JSONField(default=dict)
    metadata = models.JSONField(default=dict)
    version = models.IntegerField(default=1)
    run = models.UUIDField(null=True)
    updated_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "link"
        constraints = [models.UniqueConstraint(fields=["subject", "predicate", "object"], name="link_once")]
        indexes = [
            models.Index(fields=["object", "predicate", "subject"], name="link_back"),
            models.Index(fields=["scope", "predicate", "id"], name="link_all"),
            models.Index(fields=["run"], condition=Q(run__isnull=False), name="link_run"),
            models.Index(fields=["expires_at"], condition=Q(expires_at__isnull=False), name="link_expiry"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate} {self.object}"


class NodeSource(models.Model):
    """The lines of a session that a node rests on, first and last included; best first by `position`."""

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(
        Node, models.DO_NOTHING, db_constraint=False, db_column="node", related_name="sources", db_index=False
    )
    scope = models.IntegerField()
    session = models.UUIDField()
    first = models.IntegerField()
    last = models.IntegerField()
    position = models.SmallIntegerField(default=0)
    run = models.UUIDField(null=True)

    class Meta:
        db_table = "node_source"
        constraints = [models.UniqueConstraint(fields=["node", "session", "first", "last"], name="node_source_once")]
        indexes = [
            models.Index(fields=["session", "first"], name="node_source_line"),
            models.Index(fields=["run"], condition=Q(run__isnull=False), name="node_source_run"),
        ]

    def __str__(self) -> str:
        return f"{self.node_id} rests on {self.session} {self.first}–{self.last}"


class NodeFact(models.Model):
    """That a fact was made of what a node says; `fact` is its `@id` in the scope."""

    id = models.BigAutoField(primary_key=True)
    node = models.ForeignKey(
        Node, models.DO_NOTHING, db_constraint=False, db_column="node", related_name="facts", db_index=False
    )
    scope = models.IntegerField()
    fact = models.TextField(db_collation="C")
    run = models.UUIDField(null=True)

    class Meta:
        db_table = "node_fact"
        constraints = [models.UniqueConstraint(fields=["node", "fact"], name="node_fact_once")]
        indexes = [
            models.Index(fields=["scope", "fact"], name="node_fact_back"),
            models.Index(fields=["run"], condition=Q(run__isnull=False), name="node_fact_run"),
        ]

    def __str__(self) -> str:
        return f"{self.fact} from {self.node_id}"
