"""Giving a Space's memories the vectors of another embedder, while it goes on being asked.

New vectors are staged beside the old ones, a batch at a time; when a scope has them all they take the old ones' place
in one transaction. Killed at any step, it goes on from what is staged.
"""

import uuid
from functools import partial
from uuid import UUID

import numpy as np
from django.db import connections

from audit.recording import SYSTEM, Act
from common.errors import Conflict, Invalid, NotFound
from common.times import now
from memory.embedding import Embedder, EmbedderUnavailable, embedder_named
from memory.layers.elements import run_sql
from memory.layers.index_rows import embed_fragments, embed_texts
from memory.layers.indexing import inputs_of, texts_of
from memory.layers.models import LayerSettings, Node, Reembedding, ScopeStat
from memory.layers.near import drop_near_index
from memory.layers.rules.strength import FRAGMENT
from memory.layers.settings import layer_settings
from memory.layers.vectors import halfvec_text
from memory.leases import LEASE, LeaseLost, wait_after
from spaces.access import Caller
from spaces.databases.entering import current
from spaces.databases.transactions import memory_transaction
from spaces.hinting import due_by

BATCH = 500
State = Reembedding.State


def begin(act: Act, caller: Caller, spec: str) -> Reembedding:
    """Begin to move the Space one is in to the embedder `spec`; memories of new scopes get its vectors at once.

    Raises Invalid when the embedder cannot be had, and Conflict while another move is under way.
    """
    try:
        embedder = embedder_named(spec)
        dimensions = embedder.dimensions
    except EmbedderUnavailable as refusal:
        raise Invalid(refusal.detail, field="embedder") from None
    if Reembedding.objects.filter(state=State.RUNNING).exists():
        raise Conflict("The Space is being moved to another embedder already.", type="already_running")
    layer_settings()
    LayerSettings.objects.update(embedder=embedder.name)
    total = run_sql(
        "select coalesce(sum(rows), 0) from scope_stat where embedder <> '' and embedder <> %(name)s",
        {"name": embedder.name},
    )
    job = Reembedding.objects.create(
        embedder=embedder.name, dimensions=dimensions, total=int(total[0][0]), asked_by=str(caller.actor)
    )
    connections[act.using].on_commit(partial(due_by, current().space_id, now()))
    act.record(caller.actor, "embedding.move", str(job.pk), embedder=embedder.name, count=job.total)
    return job


def stop(act: Act, caller: Caller, job_id: UUID) -> Reembedding:
    """Stop a move; scopes that have their new vectors keep them, the others keep their old ones. Raises NotFound."""
    job = Reembedding.objects.select_for_update().filter(pk=job_id, state=State.RUNNING).first()
    if job is None:
        raise NotFound("There is no such move under way.")
    run_sql("delete from staged_vector", {})
    job.state, job.finished_at, job.lease = State.STOPPED, now(), None
    job.save()
    act.record(caller.actor, "embedding.stop", str(job.pk), count=job.done)
    return job


def running_job() -> Reembedding | None:
    """The move that is under way in the Space one is in."""
    return Reembedding.objects.filter(state=State.RUNNING).first()


def move(job_id: UUID) -> bool:
    """Do a move, or what is left of it. Returns whether this call ended it; False where another worker is at it.

    An embedder that refuses puts it off with the reason, as does anything unforeseen, which is raised then.
    """
    lease = _claim(job_id)
    if lease is None:
        return False
    try:
        return _done(job_id, lease)
    except LeaseLost:
        return False


def _done(job_id: UUID, lease: UUID) -> bool:
    try:
        _go_through(job_id, lease)
    except EmbedderUnavailable as refusal:
        _put_off(job_id, lease, refusal.detail)
        return False
    except LeaseLost:
        raise
    except Exception:
        _put_off(job_id, lease, "It broke off. The log of the service says why.")
        raise
    return True


def _go_through(job_id: UUID, lease: UUID) -> None:
    job = Reembedding.objects.get(pk=job_id)
    embedder = embedder_named(job.embedder)
    for scope in _scopes_behind(job):
        while _unstaged(scope, 1) or not _switched(job, lease, scope, embedder):
            _stage(job, lease, scope, embedder)
    with memory_transaction() as act:
        held = _hold(job_id, lease)
        held.state, held.finished_at, held.lease = State.DONE, now(), None
        held.save()
        act.record(SYSTEM, "embedding.moved", str(job_id), count=held.done)


def _scopes_behind(job: Reembedding) -> list[int]:
    rows = ScopeStat.objects.exclude(embedder="").exclude(embedder=job.embedder).order_by("scope")
    return list(rows.values_list("scope", flat=True))


def _stage(job: Reembedding, lease: UUID, scope: int, embedder: Embedder) -> None:
    """The next batch of vectors of a scope. The embedder is called outside any transaction."""
    nodes = list(Node.objects.filter(pk__in=_unstaged(scope, BATCH)).order_by("pk"))
    vectors = _vectors(nodes, embedder)
    with memory_transaction() as act:
        held = _hold(job.pk, lease)
        rows = run_sql(
            "insert into staged_vector (node, scope, embedding)"
            " select i.node, %(scope)s, v::halfvec from unnest(%(nodes)s::bigint[], %(vectors)s::text[]) q(node, v)"
            " join node_index i on i.node = q.node on conflict (node) do nothing returning node",
            {
                "scope": scope,
                "nodes": [node.pk for node in nodes],
                "vectors": [halfvec_text(vectors[node.pk]) for node in nodes],
            },
        )
        held.done += len(rows)
        held.lease_until, held.attempts, held.reason = now() + LEASE, 0, ""
        held.save(update_fields=["done", "lease_until", "attempts", "reason"])
        act.record(SYSTEM, "embedding.stage", str(job.pk), scope=scope, count=len(rows))


def _switched(job: Reembedding, lease: UUID, scope: int, embedder: Embedder) -> bool:
    """Let the new vectors take the old ones' place, if none is missing. What is written meanwhile waits or is seen."""
    drop_near_index(scope)
    with memory_transaction() as act:
        _hold(job.pk, lease)
        ScopeStat.objects.select_for_update().get(scope=scope)
        if _unstaged(scope, 1):
            act.record(SYSTEM, "embedding.look", str(job.pk), scope=scope)
            return False
        run_sql(
            "update node_index i set embedding = case when l2_norm(s.embedding) > 0 then s.embedding end"
            " from staged_vector s where s.node = i.node and i.scope = %(scope)s",
            {"scope": scope},
        )
        run_sql("delete from staged_vector where scope = %(scope)s", {"scope": scope})
        ScopeStat.objects.filter(scope=scope).update(
            embedder=embedder.name, dimensions=embedder.dimensions, near_bound=None
        )
        act.record(SYSTEM, "embedding.switch", str(job.pk), scope=scope, embedder=embedder.name)
    return True


def _unstaged(scope: int, most: int) -> list[int]:
    rows = run_sql(
        "select i.node from node_index i where i.scope = %(scope)s and i.embedding is not null"
        " and not exists (select 1 from staged_vector s where s.node = i.node) order by i.node limit %(most)s",
        {"scope": scope, "most": most},
    )
    return [row[0] for row in rows]


def _vectors(nodes: list[Node], embedder: Embedder) -> "dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]":
    fragments = [node for node in nodes if node.layer == FRAGMENT]
    wholes = [node for node in nodes if node.layer != FRAGMENT]
    found: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = {}
    if fragments:
        composed = embed_fragments(inputs_of(fragments), embedder).composed
        found |= {node.pk: vector for node, vector in zip(fragments, composed, strict=True)}
    texts = [" ".join(texts_of(node)) for node in wholes]
    found |= {node.pk: vector for node, vector in zip(wholes, embed_texts(texts, embedder), strict=True)}
    return found


def _claim(job_id: UUID) -> UUID | None:
    at, lease = now(), uuid.uuid4()
    with memory_transaction() as act:
        job = Reembedding.objects.select_for_update(skip_locked=True).filter(pk=job_id, state=State.RUNNING).first()
        free = job is not None and (
            (job.lease_until is None or job.lease_until <= at) and (job.next_try_at is None or job.next_try_at <= at)
        )
        act.record(SYSTEM, "embedding.claim" if free else "embedding.pass_by", str(job_id))
        if job is None or not free:
            return None
        job.lease, job.lease_until, job.attempts = lease, at + LEASE, job.attempts + 1
        job.save(update_fields=["lease", "lease_until", "attempts"])
    return lease


def _hold(job_id: UUID, lease: UUID) -> Reembedding:
    job = Reembedding.objects.select_for_update().filter(pk=job_id, lease=lease, state=State.RUNNING).first()
    if job is None:
        raise LeaseLost(str(job_id))
    return job


def _put_off(job_id: UUID, lease: UUID, reason: str) -> None:
    with memory_transaction() as act:
        job = _hold(job_id, lease)
        job.reason, job.lease, job.lease_until = reason[:2_000], None, None
        job.next_try_at = now() + wait_after(job.attempts)
        job.save()
        act.record(SYSTEM, "embedding.fail", str(job_id), attempt=job.attempts)
