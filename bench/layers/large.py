"""A scope so large that it has a near index of its own: how fast vectors are merged into that, and made anew."""

from collections.abc import Callable

from audit.recording import SYSTEM
from bench.layers.book import written
from bench.layers.loading import load
from bench.layers.space import Seated
from bench.layers.timing import Rate, timed_rate
from common.times import now
from memory.embedding import default_embedder
from memory.layers.models import ScopeStat
from memory.layers.near import keep_near_indexes
from memory.layers.reembedding import begin, move
from spaces.access import SYSTEM_CALLER
from spaces.databases.transactions import memory_transaction

_BOOK = 2_000
_BEFORE = "another"


def merged(one: Seated, rows: int, say: Callable[[str], object]) -> Rate:
    """Load so many fragments into an empty scope, then make its near index: rows a second of that alone."""
    embedder = default_embedder()
    book = written(_BOOK, rows, embedder)
    say(f"a scope of {rows:,} fragments: near index")
    load(one.scope, book, embedder, now())
    clock = timed_rate(rows)
    clock.run(keep_near_indexes)
    if ScopeStat.objects.get(scope=one.scope).near_bound is None:
        raise RuntimeError("a worker of the service was quicker, or the scope is too small for a near index")
    return clock.rate()


def moved(one: Seated) -> Rate:
    """Give every memory of a scope new vectors, as if those it has were another embedder's: rows a second."""
    ScopeStat.objects.filter(scope=one.scope).update(embedder=_BEFORE)
    with memory_transaction() as act:
        job = begin(act, SYSTEM_CALLER, default_embedder().name)
        act.record(SYSTEM, "bench.move")
    clock = timed_rate(job.total)
    if not clock.run(lambda: move(job.pk)):
        raise RuntimeError("a worker of the service was quicker, or the embedder refused")
    return clock.rate()
