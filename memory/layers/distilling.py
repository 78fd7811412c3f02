"""Doing a run: lines in batches to the distiller, and each batch with its ledger rows in one transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import numpy as np
import structlog
from django.conf import settings

from audit.recording import SYSTEM, Act
from common.times import now
from memory.embedding import Embedder, EmbedderUnavailable, embedder_named
from memory.layers.batches import Batch
from memory.layers.committing import Stored, commit_batch
from memory.layers.distillers.extractive import Extractive
from memory.layers.distillers.llm import configured_language_model
from memory.layers.echoes import echoes_for
from memory.layers.embedding_once import Once
from memory.layers.indexing import count_terms, embedder_of, note_embedder, require_embedder
from memory.layers.knowing import known_in
from memory.layers.models import Distillation, DistilledRange, LayerSettings
from memory.layers.parts import FOR_A_MODEL, USUAL, Part, Room, batches_of
from memory.layers.phi_batches import commit_phi
from memory.layers.preparing import prepare
from memory.layers.proposing import put_up_batch
from memory.layers.rules.proposals import Distiller, DistillerRefused, Known, Line, Proposals
from memory.layers.runs import BegunAnew, Claim, claim, finish, hold, put_off
from memory.layers.settings import layer_settings
from memory.layers.tombstones import Blocked
from memory.layers.twins import Live
from memory.leases import LEASE, LeaseLost
from memory.sessions.models import Session
from memory.sessions.opening import lines_of
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import current
from spaces.databases.transactions import attempted, memory_transaction
from spaces.models import Scope

_LOCAL = "wordllama"
_MODEL = "llm"
# How long a worker that calls a model may be silent: it asks a few times for a batch, each for up to two minutes.
_PATIENCE_WITH_A_MODEL = timedelta(minutes=15)
log = structlog.get_logger()


@dataclass
class _Work:
    """What stays the same for the batches of a run."""

    claimed: Claim
    binding: Binding
    settings: LayerSettings
    embedder: Embedder
    live: Live
    known: Known
    distiller: Distiller | None

    @property
    def scope(self) -> int:
        return self.claimed.run.scope


def distil(run_id: UUID, distiller: Distiller | None = None) -> bool:
    """Do a run, or what is left of one whose worker has gone. Returns whether this call did it to its end.

    Nothing is done where somebody else holds the run or its scope. A distiller or an embedder that refuses puts the run
    off with its reason, as does anything unforeseen, which is raised then; what was committed before stays.
    """
    asks_a_model = (distiller.name if distiller else name_of_distiller(layer_settings())) == _MODEL
    claimed = claim(run_id, _PATIENCE_WITH_A_MODEL if asks_a_model else LEASE)
    if claimed is None:
        return False
    try:
        return _done(claimed, distiller, FOR_A_MODEL if asks_a_model else USUAL)
    except LeaseLost:
        log.warning("distillation_taken_over", run=str(run_id))
        return False


def _done(claimed: Claim, distiller: Distiller | None, room: Room) -> bool:
    try:
        _go_through(claimed, distiller, room)
        finish(claimed)
    except DistillerRefused as refusal:
        put_off(claimed, refusal.reason)
        return False
    except EmbedderUnavailable as refusal:
        put_off(claimed, refusal.detail)
        return False
    except BegunAnew:
        put_off(claimed, "A new pass over one of its sessions began in the meantime.")
        return False
    except LeaseLost:
        raise
    except Exception:
        put_off(claimed, "It broke off. The log of the service says why.")
        raise
    return True


def _go_through(claimed: Claim, distiller: Distiller | None, room: Room) -> None:
    said = layer_settings()
    scope = Scope.objects.select_related("space").get(pk=claimed.run.scope, space=current().space_id)
    embedder = embedder_of(scope.pk)
    with memory_transaction() as act:
        note_embedder(scope.pk, embedder)
        act.record(SYSTEM, "distillation.embedder", str(claimed.run.pk), scope=scope.pk)
    binding = Binding(scope.space, SYSTEM_CALLER, (scope,))
    work = _Work(claimed, binding, said, embedder, Live(scope.pk), known_in(scope.pk), distiller)
    for parts in batches_of(claimed.plan, room):
        _one_batch(work, parts)
    with memory_transaction() as act:
        count_terms(scope.pk)
        act.record(SYSTEM, "distillation.index", str(claimed.run.pk), scope=scope.pk)


def name_of_distiller(said: LayerSettings) -> str:
    """What the Space chose, else the instance."""
    return str(said.distiller or settings.KNDL.distiller)


def distiller_of(said: LayerSettings, embedder: Embedder) -> Distiller:
    """The distiller that the Space chose, else the instance's. Raises DistillerRefused."""
    return configured_language_model() if name_of_distiller(said) == _MODEL else _extractive(embedder)


def _extractive(embedder: Embedder) -> Extractive:
    """Topics are told apart by the local embedder, whichever the memories are found by."""
    return Extractive((embedder if embedder.name == _LOCAL else embedder_named(_LOCAL)).embed)


def _one_batch(work: _Work, parts: list[Part]) -> None:
    phi, embedder = parts[0].session.is_phi, Once(work.embedder)
    distiller = work.distiller or distiller_of(work.settings, embedder)
    if phi and distiller.name != Extractive.name and not work.settings.phi_to_model:
        distiller = _extractive(embedder)
    blocked = Blocked(work.scope)
    lines, around = _lines(parts, blocked)
    heard = _heard(work.scope, parts, lines)
    proposals = distiller.distil(heard, work.known) if heard else Proposals()
    batch = Batch(
        work.binding,
        work.claimed.run.pk,
        work.settings,
        [part.session for part in parts],
        around | {(line.session, line.index): line for line in lines},
        proposals,
    )
    if phi:
        _commit(work, parts, distiller.name, lambda act: commit_phi(act, batch))
    elif work.settings.review:
        _commit(work, parts, distiller.name, lambda act: _put_up(act, batch))
    else:
        # Once more: a model takes its time, and something may have been forgotten meanwhile.
        prepared = prepare(batch, work.live, embedder, Blocked(work.scope))
        stored = _commit(work, parts, distiller.name, lambda act: commit_batch(act, batch, prepared))
        for layer, rows in stored.fresh.items():
            work.live.layer(layer).add([row.node for row in rows], np.stack([row.vector for row in rows]))


def _heard(scope: int, parts: Sequence[Part], lines: Sequence[Line]) -> list[Line]:
    """The lines without what recall had told before."""
    echoes = echoes_for(scope, [part.session.pk for part in parts])
    if echoes is None:
        return [line for line in lines if line.text.strip()]
    said = (replace(line, text=echoes.without(line.text)) for line in lines)
    return [line for line in said if line.text.strip()]


def _put_up(act: Act, batch: Batch) -> Stored:
    stored = Stored()
    stored.count("for review", put_up_batch(act, batch, Blocked(batch.scope)))
    return stored


def _lines(parts: Sequence[Part], blocked: Blocked) -> tuple[list[Line], dict[tuple[int, int], Line]]:
    """The masked lines of the parts without what was forgotten, and those just before and after each."""
    lines: list[Line] = []
    around: dict[tuple[int, int], Line] = {}
    for number, part in enumerate(parts):
        for row in lines_of(part.session, max(0, part.first - 1), part.last + 1):
            text = blocked.line(row.text, row.speaker, part.session.pk, row.index)
            line = Line(number, row.index, row.role, row.speaker, text, row.at)
            if part.first <= row.index <= part.last:
                lines.append(line)
            else:
                around[number, row.index] = line
    return lines, around


def _commit(work: _Work, parts: Sequence[Part], distiller: str, store: Callable[[Act], Stored]) -> Stored:
    """Everything that came of a batch, or nothing: memories, ledger, how far each session is distilled."""

    def write(act: Act) -> Stored:
        run = hold(work.claimed)
        require_embedder(work.scope, work.embedder)
        _advance(parts)
        _enter(run, parts)
        stored = store(act)
        stored.count("lines", sum(part.lines for part in parts))
        for what, number in stored.outcome.items():
            run.outcome[what] = run.outcome.get(what, 0) + number
        run.distiller = distiller
        run.save(update_fields=["outcome", "lease_until", "distiller"])
        act.record(SYSTEM, "distillation.batch", str(run.pk), scope=work.scope, outcome=stored.outcome)
        return stored

    return attempted(write)


def _enter(run: Distillation, parts: Sequence[Part]) -> None:
    """Write the ranges into the ledger."""
    at = now()
    DistilledRange.objects.bulk_create(
        DistilledRange(
            run=run,
            scope=run.scope,
            session=part.session.pk,
            generation=part.session.generation,
            first=part.first,
            last=part.last,
            at=at,
        )
        for part in parts
    )


def _advance(parts: Sequence[Part]) -> None:
    """Say how far each session is distilled. Raises BegunAnew where it is not where this run left it."""
    for part in sorted(parts, key=lambda part: (part.session.pk, part.first)):
        moved = Session.objects.filter(
            pk=part.session.pk, generation=part.session.generation, distilled_until=part.first
        ).update(distilled_until=part.last + 1)
        if not moved:
            raise BegunAnew(str(part.session.pk))
