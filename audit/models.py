"""What happened: rows that are only ever added, in the database of the act."""

from django.db import models
from django.db.models import Q


class AuditRow(models.Model):
    """One act or one refusal. Holds ids and stated reasons, never content."""

    class Outcome(models.TextChoices):
        DONE = "done"
        REFUSED = "refused"

    sequence = models.BigIntegerField(primary_key=True)
    at = models.DateTimeField()
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=64)
    act = models.CharField(max_length=64)
    object = models.CharField(max_length=600, blank=True)
    scope = models.IntegerField(null=True)
    purpose = models.CharField(max_length=64, blank=True)
    consent = models.CharField(max_length=600, blank=True)
    outcome = models.CharField(max_length=16, choices=Outcome)
    stated = models.JSONField(default=dict)
    request_id = models.CharField(max_length=64, blank=True)
    mark = models.BinaryField(max_length=32)

    class Meta:
        db_table = "audit_row"
        constraints = [models.CheckConstraint(condition=Q(sequence__gte=1), name="audit_sequence_from_one")]
        indexes = [
            models.Index(fields=["actor_id", "-sequence"], name="audit_by_actor"),
            models.Index(fields=["object", "-sequence"], name="audit_by_object"),
            models.Index(fields=["act", "-sequence"], name="audit_by_act"),
            models.Index(fields=["at"], name="audit_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.sequence}: {self.actor_kind} {self.act} {self.outcome}"


class IdempotencyKey(models.Model):
    """That a write with this key was done: by whom, of what body (its hash), with what answer. Never the body."""

    actor = models.CharField(max_length=80)
    key = models.CharField(max_length=255)
    body_hash = models.BinaryField(max_length=32)
    status = models.SmallIntegerField()
    object_id = models.CharField(max_length=600, blank=True)
    made_at = models.DateTimeField()

    class Meta:
        db_table = "idempotency_key"
        constraints = [models.UniqueConstraint(fields=["actor", "key"], name="idempotency_key_once")]
        indexes = [models.Index(fields=["made_at"], name="idempotency_by_age")]

    def __str__(self) -> str:
        return f"{self.actor} {self.key}"
