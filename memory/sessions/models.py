"""L0 as rows: sessions and their lines."""

import uuid

from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Q


class Session(models.Model):
    """One conversation, as its client sent it.

    `line_count` is the index of the next line. Lines below `distilled_until` are distilled, in the pass `generation`;
    asking to distil them again begins a new one. `last_line_at` is when the last line arrived, which tells idle from
    quiet; `last_said_at` is when it was spoken. A PHI session names its consent, its subject by keyed hash, and the
    data key under which its lines are sealed.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    scope = models.IntegerField()
    client_id = models.TextField(db_collation="C")
    title = models.TextField(default="")
    origin = models.TextField(default="api")
    opened_by = models.TextField()
    opened_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField()
    line_count = models.IntegerField(default=0)
    last_line_at = models.DateTimeField(null=True)
    last_said_at = models.DateTimeField(null=True)
    distilled_until = models.IntegerField(default=0)
    generation = models.SmallIntegerField(default=0)
    classification = models.CharField(max_length=16, null=True)
    subject = models.TextField(null=True, db_collation="C")
    consent = models.TextField(null=True, db_collation="C")
    key = models.ForeignKey(
        "memory.DataKey", models.DO_NOTHING, null=True, db_column="key", related_name="+", db_index=False
    )

    class Meta:
        db_table = "session"
        constraints = [
            models.UniqueConstraint(fields=["scope", "client_id"], name="session_client_id_once"),
            models.CheckConstraint(
                condition=Q(distilled_until__gte=0, distilled_until__lte=F("line_count")), name="session_distilled"
            ),
            models.CheckConstraint(
                condition=~Q(classification="PHI") | Q(key__isnull=False, consent__isnull=False, title=""),
                name="session_phi_has_key",
            ),
        ]
        indexes = [
            models.Index(fields=["scope", "-last_line_at", "id"], name="session_recent"),
            models.Index(
                fields=["scope"], condition=Q(line_count__gt=F("distilled_until")), name="session_undistilled"
            ),
        ]

    def __str__(self) -> str:
        return self.client_id

    @property
    def is_phi(self) -> bool:
        return self.classification == "PHI"


class SessionLine(models.Model):
    """One line. `text` is masked; `sealed` holds what was said, encrypted, where that differs or is PHI.

    `digest` is a keyed hash of what was sent, by which a resend is told from another line at a taken index. `identity`
    is what a transcript's own format calls the line, so that it is imported once. `more` holds what else was sent.
    """

    pk = models.CompositePrimaryKey("session", "index")
    session = models.UUIDField()
    index = models.IntegerField()
    scope = models.IntegerField()
    role = models.CharField(max_length=16)
    speaker = models.TextField(default="")
    text = models.TextField(default="")
    at = models.DateTimeField()
    arrived_at = models.DateTimeField()
    digest = models.BinaryField(max_length=16)
    identity = models.TextField(null=True, db_collation="C")
    sealed = models.BinaryField(null=True)
    more = models.JSONField(null=True)
    search = SearchVectorField(null=True)

    class Meta:
        db_table = "session_line"
        constraints = [
            models.UniqueConstraint(
                fields=["scope", "identity"], condition=Q(identity__isnull=False), name="session_line_imported_once"
            ),
            models.CheckConstraint(condition=Q(index__gte=0), name="session_line_index"),
        ]

    def __str__(self) -> str:
        return f"line {self.index}"


class TranscriptImport(models.Model):
    """A transcript that is worked through in the background; its bytes are in `TranscriptPiece` until it is done.

    `outcome` is what became of it so far, kept with each batch of lines. While it runs, `lease` names the worker that
    holds it until `lease_until`.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    scope = models.IntegerField()
    name = models.TextField(default="")
    size = models.BigIntegerField()
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    asked_by = models.TextField()
    asked_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    bytes_done = models.BigIntegerField(default=0)
    outcome = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=0)
    reason = models.TextField(default="")
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        db_table = "transcript_import"
        indexes = [
            models.Index(fields=["scope", "-asked_at"], name="transcript_import_recent"),
            models.Index(
                fields=["lease_until"], condition=Q(state__in=["waiting", "running"]), name="transcript_import_open"
            ),
        ]

    def __str__(self) -> str:
        return f"import {self.id}"


class TranscriptPiece(models.Model):
    """A stretch of a transcript's bytes, sealed under the Space's key."""

    id = models.BigAutoField(primary_key=True)
    job = models.ForeignKey(
        TranscriptImport, models.DO_NOTHING, db_constraint=False, db_column="job", related_name="pieces", db_index=False
    )
    number = models.IntegerField()
    sealed = models.BinaryField()

    class Meta:
        db_table = "transcript_piece"
        constraints = [models.UniqueConstraint(fields=["job", "number"], name="transcript_piece_once")]

    def __str__(self) -> str:
        return f"piece {self.number} of {self.job_id}"
