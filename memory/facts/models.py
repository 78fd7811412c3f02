"""Facts as rows. They are added, and never changed: the database refuses it."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Q


class ExactJSONField(models.JSONField):
    """JSON kept as it was written: jsonb would turn 1e300 into three hundred digits."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "json"


class Fact(models.Model):
    """One KNDL fact; the columns are those of `memory.facts.record.FactRecord`.

    `number` orders rows within the database and is never shown; `id` is the fact's `@id`, unique in its scope.
    """

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    id = models.TextField(db_collation="C")
    type = models.JSONField(default=str)
    statement = models.TextField()
    subject = models.TextField(null=True, db_collation="C")
    predicate = models.TextField(null=True, db_collation="C")
    object = ExactJSONField(null=True)
    negated = models.BooleanField(default=False)
    confidence = models.FloatField()
    decay = models.TextField(null=True)
    decay_rate = models.FloatField(null=True)
    decay_window = models.FloatField(null=True)
    source = models.TextField()
    recorded_at = models.DateTimeField()
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)
    observed_at = models.DateTimeField(null=True)
    supersedes = models.TextField(null=True, db_collation="C")
    inference = models.TextField(null=True)
    classification = models.CharField(max_length=16, null=True)
    consent = models.TextField(null=True)
    retention = models.TextField(null=True)
    retention_at = models.DateTimeField(null=True)
    extra = ExactJSONField(default=dict)
    spelling = ExactJSONField(default=dict)
    imported = models.BooleanField(default=False)
    file = models.TextField(null=True)
    recorded_by = models.TextField()
    search = SearchVectorField()

    class Meta:
        db_table = "fact"
        constraints = [
            models.UniqueConstraint(fields=["scope", "id"], name="fact_id_once"),
            models.UniqueConstraint(
                fields=["scope", "supersedes"],
                include=["recorded_at", "id"],
                condition=Q(supersedes__isnull=False),
                name="fact_superseded_once",
            ),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="fact_confidence"),
            models.CheckConstraint(
                condition=Q(decay_rate__isnull=True, decay_window__isnull=True)
                | Q(decay_rate__gt=0, decay_rate__lt=1, decay_window__gt=0),
                name="fact_decay",
            ),
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gt=F("valid_from")), name="fact_validity"
            ),
        ]
        indexes = [
            models.Index(fields=["scope", "subject", "predicate"], name="fact_claim"),
            models.Index(fields=["scope", "-recorded_at", "id"], name="fact_recorded"),
            GinIndex(fields=["search"], name="fact_words", fastupdate=False),
        ]

    def __str__(self) -> str:
        return self.id


class FactParent(models.Model):
    """That a fact was derived from another, which need not be here."""

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    fact = models.ForeignKey(Fact, models.DO_NOTHING, related_name="parents", db_column="fact")
    position = models.SmallIntegerField()
    parent = models.TextField(db_collation="C")

    class Meta:
        db_table = "fact_parent"
        constraints = [models.UniqueConstraint(fields=["fact", "position"], include=["parent"], name="fact_parent_once")]
        indexes = [models.Index(fields=["scope", "parent"], include=["fact"], name="fact_parent_up")]

    def __str__(self) -> str:
        return f"{self.fact_id} from {self.parent}"


class Consent(models.Model):
    """That a subject allows purposes: who granted it, for how long, and on what evidence."""

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    id = models.TextField(db_collation="C")
    subject = models.TextField(db_collation="C")
    purposes = ArrayField(models.TextField())
    granted_by = models.TextField()
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)
    evidence = models.TextField(blank=True)
    recorded_at = models.DateTimeField()
    recorded_by = models.TextField()

    class Meta:
        db_table = "consent"
        constraints = [
            models.UniqueConstraint(fields=["scope", "id"], name="consent_id_once"),
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gt=F("valid_from")), name="consent_validity"
            ),
        ]
        indexes = [models.Index(fields=["scope", "subject"], name="consent_subject")]

    def __str__(self) -> str:
        return self.id
