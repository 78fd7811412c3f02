"""Where things are: Spaces, Assistants, scopes, memberships, projects; and acts that are under way."""

import uuid
import zoneinfo
from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

SLUG = RegexValidator(
    r"^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?\Z", "Use lower-case letters, digits and hyphens, 48 at most."
)


def check_zone(name: str) -> None:
    """Refuse a time zone that this machine does not know."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError(f"{name} is no time zone. Use a name such as Europe/Lisbon.")


class Space(models.Model):
    """A group of people and projects with a memory database of its own."""

    class State(models.TextChoices):
        MAKING = "making", "being made"
        READY = "ready", "ready"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.CharField(max_length=48, unique=True, validators=[SLUG])
    name = models.CharField(max_length=120)
    zone = models.CharField(max_length=64, default="UTC", validators=[check_zone])
    state = models.CharField(max_length=8, choices=State, default=State.MAKING)
    database_url = models.CharField(max_length=500, blank=True)
    next_due_at = models.DateTimeField(null=True, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)

    members: ClassVar["models.ManyToManyField[models.Model, Membership]"] = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="Membership", related_name="spaces"
    )

    class Meta:
        indexes = [models.Index(fields=["next_due_at"], name="space_due")]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a Space."""

    class Role(models.TextChoices):
        OWNER = "owner"
        ADMIN = "admin"
        AUDITOR = "auditor"
        MEMBER = "member"

    space = models.ForeignKey(Space, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, choices=Role, default=Role.MEMBER)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "user"], name="one_role_a_space")]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.space}"


class Assistant(models.Model):
    """A named AI in a Space."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="assistants")
    name = models.CharField(max_length=120)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "name"], name="assistant_name_once")]

    def __str__(self) -> str:
        return self.name


class Scope(models.Model):
    """What one memory row belongs to: an (Assistant, owner) pair, or a shared one for the whole Space.

    Its name is the `tenant` of a fact; its number is what memory rows hold.
    """

    id = models.AutoField(primary_key=True)
    space = models.ForeignKey(Space, models.CASCADE, related_name="scopes")
    name = models.CharField(max_length=200)
    assistant = models.ForeignKey(Assistant, models.PROTECT, null=True, blank=True, related_name="scopes")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="scopes")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "name"], name="scope_name_once"),
            models.UniqueConstraint(fields=["assistant", "owner"], name="one_scope_a_pair"),
            models.CheckConstraint(
                condition=Q(assistant__isnull=False, owner__isnull=False)
                | Q(assistant__isnull=True, owner__isnull=True),
                name="scope_is_a_pair_or_shared",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shared(self) -> bool:
        """Whether it belongs to the whole Space."""
        return self.owner_id is None


class Project(models.Model):
    """A body of work in a Space, with a folder."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(Space, models.CASCADE, related_name="projects")
    slug = models.CharField(max_length=48, validators=[SLUG])
    name = models.CharField(max_length=120)
    folder = models.CharField(max_length=1_000, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["space", "slug"], name="project_slug_once")]

    def __str__(self) -> str:
        return self.name


class Invitation(models.Model):
    """A one-time link: to become the instance's owner, or a member of a Space. Only the hash of its secret is kept."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    secret_hash = models.BinaryField(max_length=32, unique=True)
    email = models.EmailField(blank=True)
    space = models.ForeignKey(Space, models.CASCADE, null=True, blank=True, related_name="invitations")
    role = models.CharField(max_length=8, choices=Membership.Role, blank=True)
    instance_role = models.CharField(max_length=8, blank=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=(Q(space__isnull=False) & ~Q(role="")) | ~Q(instance_role=""),
                name="invitation_leads_somewhere",
            )
        ]

    def __str__(self) -> str:
        return f"invitation {self.id}"


class Operation(models.Model):
    """An act over two databases, or a database and the disk: steps that may be repeated until all are done."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=64)
    subject = models.CharField(max_length=200)
    given = models.JSONField(default=dict)
    steps_done = models.JSONField(default=list)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=64)
    started_at = models.DateTimeField(auto_now_add=True)
    next_try_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    last_error = models.TextField(blank=True)
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"], condition=Q(done_at__isnull=True), name="one_open_operation_a_subject"
            )
        ]
        indexes = [models.Index(fields=["next_try_at"], condition=Q(done_at__isnull=True), name="operation_due")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class Heartbeat(models.Model):
    """When a background part was last seen working."""

    name = models.CharField(primary_key=True, max_length=64)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"


class KeyEncryptionKey(models.Model):
    """A key that wraps data keys, itself wrapped by the root key."""

    number = models.PositiveIntegerField(primary_key=True)
    wrapped = models.BinaryField()
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"key-encryption key {self.number}"
