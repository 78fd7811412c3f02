"""What is searched: words and vectors of live memories, what BM25 needs, and vectors on their way in."""

import uuid

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q
from pgvector.django import HalfVectorField

from memory.layers.models.graph import Node


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
