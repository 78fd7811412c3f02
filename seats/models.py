"""Running agents and their tokens."""

import uuid
from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models

from spaces.models import Project, Scope, Space


class Seat(models.Model):
    """One running agent of a project, bound to a Space and a scope."""

    class Kind(models.TextChoices):
        ENGINE = "engine"
        CHAT = "chat"
        SCHEDULED = "scheduled"

    class Client(models.TextChoices):
        CLAUDE = "claude"
        CODEX = "codex"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=120)
    space = models.ForeignKey(Space, models.CASCADE, related_name="seats")
    scope = models.ForeignKey(Scope, models.PROTECT, related_name="seats")
    project = models.ForeignKey(Project, models.PROTECT, related_name="seats")
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.ENGINE)
    client = models.CharField(max_length=12, choices=Client, default=Client.CLAUDE)
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class SeatToken(models.Model):
    """A seat's secret, of which only a hash is kept, and what it allows."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    seat = models.ForeignKey(Seat, models.CASCADE, related_name="tokens")
    secret_hash = models.BinaryField(max_length=32, unique=True)
    hint = models.CharField(max_length=16)
    verbs = ArrayField(models.CharField(max_length=32))
    purposes = ArrayField(models.CharField(max_length=64), default=list)
    reads_shared = models.BooleanField(default=False)
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.hint}…"

    def is_valid(self, at: datetime) -> bool:
        """Whether it opens anything at `at`."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > at)
