"""Facts as rows. They are added, and never changed: the database refuses it."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Q
from django.db.models.functions import Left

from memory.facts.rules.decay import LONGEST_WINDOW, SHORTEST_WINDOW


class ExactJSONField(models.JSONField):
    """JSON kept as it was written: jsonb would turn 1e300 into three hundred digits."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "json"

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        """Unlike jsonb, which Django reads as text, this comes decoded."""
        return value


class Fact(models.Model):
    """One KNDL fact; the columns are those of `memory.facts.rules.record.FactRecord`.

    `number` orders rows within the database and is never shown; `id` is the fact's `@id`, unique in its scope. `claim`
    is shared by facts about the same subject and predicate. A PHI fact's words are in `sealed`, under the data key
    `key`; its subject, predicate and object columns hold keyed hashes. `leaves_usable_at` and `leaves_uncertain_at`
    say when it falls below a band, which is known for good once it is written.
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
    consent = models.TextField(null=True, db_collation="C")
    retention = models.TextField(null=True)
    retention_at = models.DateTimeField(null=True)
    extra = ExactJSONField(default=dict)
    spelling = ExactJSONField(default=dict)
    imported = models.BooleanField(default=False)
    file = models.TextField(null=True)
    recorded_by = models.TextField()
    search = SearchVectorField()
    claim = models.UUIDField(null=True)
    sealed = models.BinaryField(null=True)
    key = models.ForeignKey(
        "memory.DataKey", models.DO_NOTHING, null=True, db_column="key", related_name="+", db_index=False
    )
    leaves_usable_at = models.DateTimeField(null=True)
    leaves_uncertain_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "fact"
        constraints = [
            models.UniqueConstraint(fields=["scope", "id"], name="fact_id_once"),
            models.UniqueConstraint(
                fields=["scope", "supersedes"],
                include=["recorded_at"],
                condition=Q(supersedes__isnull=False),
                name="fact_superseded_once",
            ),
            models.CheckConstraint(condition=Q(confidence__gte=0, confidence__lte=1), name="fact_confidence"),
            models.CheckConstraint(
                condition=Q(decay_rate__isnull=True, decay_window__isnull=True)
                | Q(
                    decay_rate__gt=0,
                    decay_rate__lt=1,
                    decay_window__gte=SHORTEST_WINDOW,
                    decay_window__lte=LONGEST_WINDOW,
                ),
                name="fact_decay",
            ),
            models.CheckConstraint(
                condition=Q(valid_until__isnull=True) | Q(valid_until__gt=F("valid_from")), name="fact_validity"
            ),
            # PHI is sealed, and only PHI is.
            models.CheckConstraint(
                condition=Q(classification="PHI", sealed__isnull=False, key__isnull=False, consent__isnull=False)
                & Q(statement="", source="", file__isnull=True)
                | ~Q(classification="PHI") & Q(sealed__isnull=True, key__isnull=True)
                | Q(classification__isnull=True, sealed__isnull=True, key__isnull=True),
                name="fact_phi_is_sealed",
            ),
        ]
        indexes = [
            models.Index(fields=["scope", "subject"], name="fact_subject"),
            # For a predicate that few facts have; one that many have is found among the newest. Only of facts that have
            # one: else a planner without statistics took it for the way to what superseded a fact, and read the scope.
            models.Index(fields=["scope", "predicate"], condition=Q(predicate__isnull=False), name="fact_predicate"),
            models.Index(fields=["scope", "claim"], condition=Q(claim__isnull=False), name="fact_claim"),
            models.Index(fields=["scope", "-recorded_at", "id"], name="fact_recorded"),
            models.Index(fields=["scope", "consent"], condition=Q(consent__isnull=False), name="fact_consent"),
            models.Index(
                fields=["scope", "leaves_usable_at"], condition=Q(leaves_usable_at__isnull=False), name="fact_usable"
            ),
            models.Index(
                fields=["scope", "leaves_uncertain_at"],
                condition=Q(leaves_uncertain_at__isnull=False),
                name="fact_uncertain",
            ),
            models.Index(fields=["scope", "valid_until"], condition=Q(valid_until__isnull=False), name="fact_expiry"),
            models.Index(fields=["scope", "retention_at"], condition=Q(retention_at__isnull=False), name="fact_due"),
            models.Index(
                fields=["scope", "inference", "-recorded_at"],
                condition=Q(inference__isnull=False),
                name="fact_inferred",
            ),
            # Words are put into the index many facts at a time; a search reads at most 256 kB that wait for it.
            GinIndex(fields=["search"], name="fact_words", fastupdate=True, gin_pending_list_limit=256),
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
        constraints = [
            models.UniqueConstraint(fields=["fact", "position"], include=["parent"], name="fact_parent_once")
        ]
        indexes = [models.Index(fields=["scope", "parent"], include=["fact"], name="fact_parent_up")]

    def __str__(self) -> str:
        return f"{self.fact_id} from {self.parent}"


# Two texts of 500 characters each are more than an entry of a B-tree takes.
ORDERED_BY = 120
_GROUP_ORDER = ("scope", "sealed", Left("subject", ORDERED_BY), Left("predicate", ORDERED_BY), "claim")


class FactGroup(models.Model):
    """That facts about one subject and predicate have ever made two claims; kept by a trigger (see migration 0002).

    `open`: two claims stand now, so the group is a candidate for the inbox. `sealed`: all its facts are PHI, and
    subject and predicate are hashes. Derived: `memory.facts.groups.rebuild` makes it again.
    """

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    claim = models.UUIDField()
    sealed = models.BooleanField()
    subject = models.TextField(db_collation="C")
    predicate = models.TextField(db_collation="C")
    open = models.BooleanField()

    class Meta:
        db_table = "fact_group"
        constraints = [models.UniqueConstraint(fields=["scope", "claim"], name="fact_group_once")]
        indexes = [
            models.Index(*_GROUP_ORDER, condition=Q(open=True), name="fact_group_open"),
            models.Index(*_GROUP_ORDER, name="fact_group_order"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} {self.predicate}"


class Consent(models.Model):
    """That a subject allows purposes: for how long, and until when. Who the subject is lies in `sealed`.

    `subject` is its keyed hash, the same as in the subject's facts.
    """

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    id = models.TextField(db_collation="C")
    subject = models.TextField(null=True, db_collation="C")
    sealed = models.BinaryField(null=True)
    key = models.ForeignKey("memory.DataKey", models.DO_NOTHING, null=True, db_column="key", related_name="+")
    purposes = ArrayField(models.TextField())
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)
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


class EmergencyRelease(models.Model):
    """Break-glass: one subject's PHI opened to one person, for a stated reason, until an instant."""

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    subject = models.TextField(db_collation="C")
    person = models.UUIDField()
    reason = models.TextField()
    begins_at = models.DateTimeField()
    ends_at = models.DateTimeField()

    class Meta:
        db_table = "emergency_release"
        indexes = [models.Index(fields=["scope", "subject", "ends_at"], name="emergency_release_open")]

    def __str__(self) -> str:
        return f"release until {self.ends_at}"


class InferenceRule(models.Model):
    """A rule that facts are inferred by: `*.rule.json` of a memory folder."""

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    id = models.TextField(db_collation="C")
    name = models.TextField(blank=True)
    text = models.TextField(blank=True)
    version = models.TextField(blank=True)
    document = ExactJSONField()
    file = models.TextField(null=True)
    recorded_at = models.DateTimeField()
    recorded_by = models.TextField()

    class Meta:
        db_table = "inference_rule"
        constraints = [models.UniqueConstraint(fields=["scope", "id"], name="rule_id_once")]

    def __str__(self) -> str:
        return self.id


class Predicate(models.Model):
    """What the Space has said of a predicate: whether it may have several values at once."""

    name = models.TextField(primary_key=True, db_collation="C")
    multi_valued = models.BooleanField(default=False)
    said_at = models.DateTimeField()
    said_by = models.TextField()

    class Meta:
        db_table = "predicate"

    def __str__(self) -> str:
        return self.name


class ContradictionDecision(models.Model):
    """How a person settled a contradiction; the facts themselves are never edited."""

    class Kind(models.TextChoices):
        SUPERSEDED = "superseded", "chose one claim"
        MULTI_VALUED = "multi_valued", "declared the predicate multi-valued"
        DISMISSED = "dismissed", "dismissed"

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    claim = models.UUIDField()
    kind = models.CharField(max_length=12, choices=Kind)
    facts = ArrayField(models.TextField())
    chosen = models.TextField(null=True)
    reason = models.TextField(blank=True)
    decided_at = models.DateTimeField()
    decided_by = models.TextField()

    class Meta:
        db_table = "contradiction_decision"
        indexes = [models.Index(fields=["scope", "claim", "-number"], name="decision_of_claim")]

    def __str__(self) -> str:
        return f"{self.kind} {self.claim}"


class Snooze(models.Model):
    """That somebody wants to hear about a fading fact later."""

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    fact = models.TextField(db_collation="C")
    until = models.DateTimeField()
    said_by = models.TextField()

    class Meta:
        db_table = "snooze"
        constraints = [models.UniqueConstraint(fields=["scope", "fact"], name="snooze_once")]

    def __str__(self) -> str:
        return f"{self.fact} until {self.until}"


class Hold(models.Model):
    """That a fact must be kept, whatever its retention says, until the hold is lifted."""

    number = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    fact = models.TextField(db_collation="C")
    reason = models.TextField()
    placed_at = models.DateTimeField()
    placed_by = models.TextField()
    lifted_at = models.DateTimeField(null=True)
    lifted_by = models.TextField(blank=True)

    class Meta:
        db_table = "hold"
        constraints = [
            models.UniqueConstraint(fields=["scope", "fact"], condition=Q(lifted_at=None), name="one_open_hold_a_fact")
        ]

    def __str__(self) -> str:
        return f"hold on {self.fact}"
