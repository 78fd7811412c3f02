"""The graph as rows. `node` is the truth, `node_strength` what recall rewrites, `node_index` what is searched.

Foreign keys are made by the migrations, since they cascade in the database.
"""

import uuid

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField


class Node(models.Model):
    """A fragment (layer 1), an event (2), a concept (3), or what KIP stores beside them (0).

    Ids of nodes and links come from one sequence, for either may be the end of a link. `phi_ref` names the PHI fact
    that the node stands for; such a node holds none of its words. `run` is the distillation that made it; `said_at` is
    when the first of its lines was spoken.
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
            models.Index(fields=["run"], condition=Q(run__isnull=False), name="node_run"),
            models.Index(fields=["scope", "phi_ref"], condition=Q(phi_ref__isnull=False), name="node_phi"),
            GinIndex(fields=["attributes"], name="node_attributes", opclasses=["jsonb_path_ops"], fastupdate=False),
        ]

    def __str__(self) -> str:
        return self.name


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


class NodeIndex(models.Model):
    """Words and vector of a live node; derived, and can be made again from the node.

    A lexeme is prefixed with its scope; its one position is ten times its weighted frequency. `length` is ten times the
    weighted number of words.
    """

    node = models.OneToOneField(
        Node, models.DO_NOTHING, db_constraint=False, primary_key=True, db_column="node", related_name="indexed"
    )
    scope = models.IntegerField()
    layer = models.SmallIntegerField()
    length = models.IntegerField()
    search = SearchVectorField()
    embedding = HalfVectorField(null=True)

    class Meta:
        db_table = "node_index"
        indexes = [
            models.Index(fields=["scope", "node"], include=["embedding"], condition=Q(layer=1), name="node_index_near"),
            GinIndex(fields=["search"], name="node_index_words"),
        ]

    def __str__(self) -> str:
        return f"index of {self.node_id}"


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

    class Meta:
        db_table = "link"
        constraints = [models.UniqueConstraint(fields=["subject", "predicate", "object"], name="link_once")]
        indexes = [
            models.Index(fields=["object", "predicate", "subject"], name="link_back"),
            models.Index(fields=["scope", "predicate", "id"], name="link_all"),
            models.Index(fields=["run"], condition=Q(run__isnull=False), name="link_run"),
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


class ScopeStat(models.Model):
    """What a scope's index holds: rows and their lengths for BM25, the embedder of its vectors, its own near index.

    `counted` is the number of rows at which the frequencies of terms were last counted. Fragments up to `near_bound`
    are in the scope's HNSW index; younger ones are searched exactly. `speakers` are who said what its fragments hold.
    """

    scope = models.IntegerField(primary_key=True)
    rows = models.BigIntegerField(default=0)
    length = models.BigIntegerField(default=0)
    counted = models.BigIntegerField(default=0)
    embedder = models.TextField(default="")
    dimensions = models.IntegerField(default=0)
    near_bound = models.BigIntegerField(null=True)
    speakers = models.JSONField(default=list)

    class Meta:
        db_table = "scope_stat"

    def __str__(self) -> str:
        return f"index of scope {self.scope}"


class TermFrequency(models.Model):
    """In how many rows of a scope a lexeme occurs, and a word that was written for it."""

    id = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    term = models.TextField(db_collation="C")
    df = models.IntegerField()
    word = models.TextField(default="", db_collation="C")

    class Meta:
        db_table = "term_df"
        constraints = [models.UniqueConstraint(fields=["scope", "term"], include=["df"], name="term_df_once")]

    def __str__(self) -> str:
        return self.term


class Distillation(models.Model):
    """A run: which scope, what started it, which line ranges it took, what came of it.

    `plan` is the snapshot, a list of [session, first, last]; each range becomes a row of `DistilledRange` when its
    memories are committed. While it runs, `lease` names the worker that holds it until `lease_until`.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    class Trigger(models.TextChoices):
        IDLE = "idle"
        FULL = "full"
        MANUAL = "manual"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    scope = models.IntegerField()
    session = models.UUIDField(null=True)
    trigger = models.CharField(max_length=8, choices=Trigger)
    state = models.CharField(max_length=8, choices=State, default=State.PENDING)
    asked_by = models.TextField()
    asked_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    distiller = models.TextField(default="")
    plan = models.JSONField(null=True)
    outcome = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=0)
    reason = models.TextField(default="")
    next_try_at = models.DateTimeField(null=True)
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)
    undone_by = models.TextField(default="")

    class Meta:
        db_table = "distillation"
        constraints = [
            models.UniqueConstraint(fields=["scope"], condition=Q(state="running"), name="one_running_a_scope"),
            models.UniqueConstraint(
                fields=["scope"], condition=Q(state="pending", session=None), name="one_pending_a_scope"
            ),
        ]
        indexes = [
            models.Index(fields=["scope", "-asked_at"], name="distillation_recent"),
            models.Index(
                fields=["next_try_at"], condition=Q(state__in=["pending", "running"]), name="distillation_open"
            ),
        ]

    def __str__(self) -> str:
        return f"distillation {self.id}"


class DistilledRange(models.Model):
    """The ledger: that lines `first` to `last` of a session were distilled, once in each pass over the session."""

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        Distillation, models.DO_NOTHING, db_constraint=False, db_column="run", related_name="ranges"
    )
    scope = models.IntegerField()
    session = models.UUIDField()
    generation = models.SmallIntegerField()
    first = models.IntegerField()
    last = models.IntegerField()
    at = models.DateTimeField()

    class Meta:
        db_table = "distilled_range"
        constraints = [models.UniqueConstraint(fields=["session", "generation", "first"], name="range_distilled_once")]

    def __str__(self) -> str:
        return f"{self.session} {self.first}–{self.last}"


class Proposal(models.Model):
    """What a distiller proposes and a person decides. `key` is its name within the batch; `node` what became of it."""

    class State(models.TextChoices):
        WAITING = "waiting"
        APPROVED = "approved"
        REFUSED = "refused"

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(
        Distillation, models.DO_NOTHING, db_constraint=False, db_column="run", related_name="proposals"
    )
    scope = models.IntegerField()
    batch = models.UUIDField()
    kind = models.CharField(max_length=8)
    key = models.TextField()
    body = models.JSONField()
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    node = models.BigIntegerField(null=True)
    made_at = models.DateTimeField(auto_now_add=True)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.TextField(default="")

    class Meta:
        db_table = "proposal"
        constraints = [models.UniqueConstraint(fields=["batch", "kind", "key"], name="proposal_key_once")]
        indexes = [models.Index(fields=["scope", "id"], condition=Q(state="waiting"), name="proposal_waiting")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class Tombstone(models.Model):
    """What was forgotten and must not come back: a text or a name by keyed hash, or lines. It holds no content."""

    class Kind(models.TextChoices):
        TEXT = "text"
        NAME = "name"
        LINES = "lines"

    id = models.BigAutoField(primary_key=True)
    scope = models.IntegerField()
    kind = models.CharField(max_length=8, choices=Kind)
    layer = models.SmallIntegerField()
    digest = models.BinaryField(max_length=32, null=True)
    session = models.UUIDField(null=True)
    first = models.IntegerField(null=True)
    last = models.IntegerField(null=True)
    node = models.BigIntegerField()
    at = models.DateTimeField()
    by = models.TextField()
    reason = models.TextField(default="")
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "tombstone"
        indexes = [
            models.Index(fields=["scope", "digest"], condition=Q(lifted_at=None), name="tombstone_digest"),
            models.Index(fields=["session"], condition=Q(lifted_at=None), name="tombstone_lines"),
            models.Index(fields=["scope", "-id"], name="tombstone_recent"),
        ]

    def __str__(self) -> str:
        return f"tombstone of {self.node}"


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


class LayerSettings(models.Model):
    """What a Space says of its layers: one row, made with the defaults when it is first read.

    τ in days, thresholds of strength 0–1, times in minutes and seconds.
    """

    single = models.BooleanField(primary_key=True, default=True)
    review = models.BooleanField(default=False)
    distiller = models.CharField(max_length=16, default="")
    phi_to_model = models.BooleanField(default=False)
    fragment_tau = models.FloatField(default=14)
    event_tau = models.FloatField(default=45)
    fragment_threshold = models.FloatField(default=0.05)
    event_threshold = models.FloatField(default=0.02)
    idle_minutes = models.PositiveIntegerField(default=30)
    full_lines = models.PositiveIntegerField(default=200)
    quiet_seconds = models.PositiveIntegerField(default=30)
    embedder = models.TextField(default="")
    version = models.PositiveIntegerField(default=1)

    class Meta:
        db_table = "layer_settings"
        constraints = [models.CheckConstraint(condition=Q(single=True), name="layer_settings_single")]

    def __str__(self) -> str:
        return "layer settings"


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


class Reembedding(models.Model):
    """Giving a Space's memories vectors of another embedder: staged beside the old ones, switched scope by scope."""

    class State(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        STOPPED = "stopped"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    embedder = models.TextField()
    dimensions = models.IntegerField(default=0)
    state = models.CharField(max_length=8, choices=State, default=State.RUNNING)
    total = models.BigIntegerField(default=0)
    done = models.BigIntegerField(default=0)
    asked_by = models.TextField()
    asked_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)
    reason = models.TextField(default="")
    next_try_at = models.DateTimeField(null=True)
    attempts = models.PositiveIntegerField(default=0)
    lease = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        db_table = "reembedding"
        constraints = [models.UniqueConstraint(fields=["state"], condition=Q(state="running"), name="one_reembedding")]

    def __str__(self) -> str:
        return f"re-embedding to {self.embedder}"


class StagedVector(models.Model):
    """A vector of the embedder that a scope is being moved to."""

    node = models.OneToOneField(
        Node, models.DO_NOTHING, db_constraint=False, primary_key=True, db_column="node", related_name="+"
    )
    scope = models.IntegerField()
    embedding = HalfVectorField()

    class Meta:
        db_table = "staged_vector"
        indexes = [models.Index(fields=["scope", "node"], name="staged_vector_scope")]

    def __str__(self) -> str:
        return f"staged vector of {self.node_id}"
