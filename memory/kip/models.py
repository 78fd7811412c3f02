"""What KIP keeps beside the graph: the history of elements, a log of texts, which capsules stand, what breaks a schema.

Foreign keys are made by the migrations, since they cascade in the database.
"""

import uuid

from django.db import models
from django.db.models import Q


class ElementHistory(models.Model):
    """An element as it stood after an act of KIP, or as it was found before the first.

    `kind` is C for a concept and P for a link. `names` holds type and name of a concept, subject, predicate and object
    of a link. Rows are added and, when what they tell is forgotten, removed; they are never changed.
    """

    class Act(models.TextChoices):
        FOUND = "found"
        CREATE = "create"
        UPSERT = "upsert"
        UPDATE = "update"
        MERGE = "merge"
        REPOINT = "repoint"
        DELETE_KEYS = "delete_keys"
        DELETE = "delete"
        EXPIRE = "expire"

    id = models.BigAutoField(primary_key=True)
    element = models.BigIntegerField()
    scope = models.IntegerField()
    kind = models.CharField(max_length=1, choices=[("C", "concept"), ("P", "link")])
    version = models.IntegerField()
    at = models.DateTimeField()
    actor = models.TextField()
    act = models.CharField(max_length=12, choices=Act)
    names = models.JSONField()
    attributes = models.JSONField()
    metadata = models.JSONField()

    class Meta:
        db_table = "element_history"
        indexes = [
            models.Index(fields=["element", "id"], name="element_history_of"),
            models.Index(fields=["scope", "id"], name="element_history_scope"),
        ]

    def __str__(self) -> str:
        return f"{self.act} of {self.kind}:{self.element}"


class KipLog(models.Model):
    """One command that was executed. The text is masked, and is kept only where no PHI could be in it."""

    id = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    at = models.DateTimeField()
    actor = models.TextField()
    method = models.CharField(max_length=24)
    statements = models.JSONField(default=list)
    text = models.TextField(null=True)
    error = models.CharField(max_length=8, default="")

    class Meta:
        db_table = "kip_log"
        indexes = [models.Index(fields=["scope", "-id"], name="kip_log_latest")]

    def __str__(self) -> str:
        return f"{self.method} by {self.actor}"


class Capsule(models.Model):
    """That a capsule's text stands in a scope; `hash` is the SHA-256 of that text, in hexadecimal."""

    id = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    name = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    applied_at = models.DateTimeField()

    class Meta:
        db_table = "capsule"
        constraints = [models.UniqueConstraint(fields=["scope", "name"], name="capsule_once")]

    def __str__(self) -> str:
        return self.name


class KipSettings(models.Model):
    """What a Space says of its KIP graphs: one row, made with the defaults when it is first read."""

    class Enforcement(models.TextChoices):
        OFF = "off"
        WARN = "warn"
        STRICT = "strict"

    single = models.BooleanField(primary_key=True, default=True)
    schema_enforcement = models.CharField(max_length=6, choices=Enforcement, default=Enforcement.WARN)

    class Meta:
        db_table = "kip_settings"
        constraints = [models.CheckConstraint(condition=Q(single=True), name="kip_settings_single")]

    def __str__(self) -> str:
        return "KIP settings"


class SchemaViolation(models.Model):
    """That a concept was stored although it is not what its type's `instance_schema` says."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    node = models.BigIntegerField()
    scope = models.IntegerField()
    attribute = models.TextField()
    code = models.CharField(max_length=8)
    message = models.TextField()
    at = models.DateTimeField()

    class Meta:
        db_table = "schema_violation"
        constraints = [models.UniqueConstraint(fields=["node", "attribute"], name="violation_once")]
        indexes = [models.Index(fields=["scope", "node"], name="violation_scope")]

    def __str__(self) -> str:
        return self.message
