"""Shared domains: members, the revisions of CONTEXT, the lines of LOG, sealed keys, and what is known of the disk."""

import uuid

from django.db import models
from django.db.models import Q

from audit.recording import Actor
from spaces.models import SLUG, Project

ON_DISK = Actor("disk", "")
"""Whoever wrote a file in the directory; nobody can tell who that was."""


class Domain(models.Model):
    """A directory that related projects share. `crosses`: the instance's owner let it span several Spaces.

    `keys_version` counts the changes of KEYS. The data key that seals its keys and evidence is wrapped by a
    key-encryption key of the instance.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.CharField(max_length=48, unique=True, validators=[SLUG])
    name = models.CharField(max_length=120)
    cross_read = models.BooleanField(default=True)
    crosses = models.BooleanField(default=False)
    keys_version = models.PositiveIntegerField(default=0)
    wrapped_by = models.PositiveIntegerField()
    wrapped = models.BinaryField()
    made_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class DomainMember(models.Model):
    """A project that shares a domain. `crosses`: it is of another Space than the first member, which was confirmed."""

    domain = models.ForeignKey(Domain, models.CASCADE, related_name="members")
    project = models.ForeignKey(Project, models.CASCADE, related_name="domains")
    crosses = models.BooleanField(default=False)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["domain", "project"], name="domain_member_once")]

    def __str__(self) -> str:
        return f"{self.project_id} in {self.domain_id}"


class Source(models.TextChoices):
    """How something came in."""

    PAGE = "page"
    API = "api"
    DISK = "disk", "on disk"


class ContextRevision(models.Model):
    """CONTEXT.md as it was from one rewrite to the next; `base` is the revision that its writer had before them."""

    domain = models.ForeignKey(Domain, models.CASCADE, related_name="revisions")
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True)
    source = models.CharField(max_length=4, choices=Source)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=64)
    at = models.DateTimeField()
    base = models.PositiveIntegerField()
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["domain", "number"], name="context_revision_once")]

    def __str__(self) -> str:
        return f"revision {self.number}"


class LogLine(models.Model):
    """One change; the database lets no row be altered or removed.

    `project` is the name as the line has it, `member_id` the project that had it then.
    """

    domain = models.ForeignKey(Domain, models.PROTECT, related_name="log")
    number = models.PositiveIntegerField()
    day = models.DateField()
    project = models.CharField(max_length=48)
    change = models.CharField(max_length=1_000)
    member_id = models.UUIDField()
    source = models.CharField(max_length=4, choices=Source)
    actor_kind = models.CharField(max_length=16)
    actor_id = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["domain", "number"], name="log_line_once")]
        indexes = [models.Index(fields=["domain", "project", "number"], name="log_line_of_project")]

    def __str__(self) -> str:
        return f"line {self.number}"


class Evidence(models.Model):
    """What was found on disk and not taken, kept sealed; `content` is empty where there was nothing to keep.

    `said` tells what happened without any of the content; `line` is the first line at fault, from 1.
    """

    class Kind(models.TextChoices):
        LOG_CHANGED = "log_changed", "an earlier line of LOG.md"
        LOG_REFUSED = "log_refused", "lines that LOG.md does not take"
        CONTEXT_REFUSED = "context_refused", "a text that CONTEXT.md does not take"
        KEYS_REFUSED = "keys_refused", "a KEYS.md that can't be read"
        REPLACED = "replaced", "something in the place of a file"
        CLASHED = "clashed", "changed in two ways at once"
        GIT = "git", "KEYS.md in git"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    domain = models.ForeignKey(Domain, models.CASCADE, related_name="evidence")
    kind = models.CharField(max_length=16, choices=Kind)
    file = models.CharField(max_length=16)
    said = models.CharField(max_length=500)
    line = models.PositiveIntegerField(null=True, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    content = models.BinaryField(default=b"")
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["domain", "-at"], name="domain_evidence_newest")]

    def __str__(self) -> str:
        return self.said


class DomainKey(models.Model):
    """One line of KEYS.md, sealed; `name` is empty for a line that is no key."""

    domain = models.ForeignKey(Domain, models.CASCADE, related_name="keys")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=100, blank=True)
    sealed = models.BinaryField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["domain", "name"], condition=~Q(name=""), name="domain_key_once"),
        ]
        indexes = [models.Index(fields=["domain", "position"], name="domain_key_order")]

    def __str__(self) -> str:
        return self.name or f"line {self.position}"


class DiskState(models.Model):
    """A file as it was last read or written. `version` is the state of the rows that it then showed.

    `mark` is a keyed hash of the content. Times are nanoseconds since 1970.
    """

    domain = models.ForeignKey(Domain, models.CASCADE, related_name="disk")
    file = models.CharField(max_length=16)
    version = models.PositiveIntegerField()
    size = models.BigIntegerField()
    mtime_ns = models.BigIntegerField()
    changed_ns = models.BigIntegerField()
    inode = models.DecimalField(max_digits=20, decimal_places=0)
    mark = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["domain", "file"], name="disk_state_once")]

    def __str__(self) -> str:
        return f"{self.file} as of {self.version}"


class GitState(models.Model):
    """Whether a domain's directory lies in a git work tree, and what was found there."""

    class State(models.TextChoices):
        NONE = "none", "in no git work tree"
        KEPT_OUT = "kept_out", "KEYS.md is kept out of git"
        UNGUARDED = "unguarded", "KEYS.md is not in git, and no hook of ours keeps it out"
        TRACKED = "tracked", "KEYS.md is tracked or staged"
        HISTORY = "in_history", "KEYS.md is in the history"
        UNKNOWN = "unknown", "not checked"

    domain = models.OneToOneField(Domain, models.CASCADE, primary_key=True, related_name="git")
    state = models.CharField(max_length=12, choices=State)
    said = models.CharField(max_length=500, blank=True)
    checked_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.state


class SiblingView(models.Model):
    """What the other members of a domain see of one member's folder; `left_out` counts by reason what they don't."""

    member = models.OneToOneField(DomainMember, models.CASCADE, primary_key=True, related_name="view")
    files = models.PositiveIntegerField(default=0)
    size = models.BigIntegerField(default=0)
    left_out = models.JSONField(default=dict)
    said = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.files} files"
