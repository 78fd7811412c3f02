"""Which embedder a Space's memories have their vectors of, and how a move to another one goes."""

from dataclasses import dataclass

from django.conf import settings

from memory.layers.elements import run_sql
from memory.layers.models import Reembedding
from memory.layers.reembedding import running_job
from memory.layers.settings import layer_settings

RECENT = 5


@dataclass(frozen=True)
class EmbedderUse:
    """How many memories have vectors of an embedder, and in how many scopes."""

    embedder: str
    scopes: int
    memories: int


@dataclass(frozen=True)
class Embedding:
    """What new memories are embedded with, what those that are there have, the move under way, and earlier ones."""

    embedder: str
    used: list[EmbedderUse]
    job: Reembedding | None
    earlier: list[Reembedding]


def chosen_embedder() -> str:
    """The name of the embedder that new scopes of the Space one is in begin with."""
    return layer_settings().embedder or settings.KNDL.embedder


def embedding_of_space() -> Embedding:
    """All of it, over every scope of the Space one is in: for those who govern it."""
    rows = run_sql(
        "select embedder, count(*), coalesce(sum(rows), 0) from scope_stat where embedder <> '' group by embedder"
        " order by 3 desc, 1",
        {},
    )
    earlier = Reembedding.objects.exclude(state=Reembedding.State.RUNNING).order_by("-asked_at")[:RECENT]
    return Embedding(
        chosen_embedder(),
        [EmbedderUse(name, scopes, int(count)) for name, scopes, count in rows],
        running_job(),
        list(earlier),
    )
