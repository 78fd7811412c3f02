"""Doing a run: lines in batches to the distiller, and each batch with its ledger rows in one transaction."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
from memory.layers.indexing import count_terms, embedder_of, embedder_of_stat, note_embedder
from memory.layers.knowing import known_in
from memory.layers.models import DistilledRange, LayerSettings, ScopeStat
from memory.layers.phi_batches import commit_phi
from memory.layers.preparing import prepare
from memory.layers.proposing import put_up_batch
from memory.layers.rules.proposals import Distiller, DistillerRefused, Known, Line, Proposals
from memory.layers.runs import Claim, LeaseLost, claim, finish, hold, put_off
from memory.layers.settings import layer_settings
from memory.layers.tombstones import Blocked
from memory.layers.twins import Live
from memory.sessions.models import Session
from memory.sessions.opening import lines_of
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import current
from spaces.databases.transactions import memory_transaction
from spaces.models import Scope

BATCH = 500
_LOCAL = "wordllama"
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

    @property
    def scope(self) -> int:
        return self.claimed.run.scope


@dataclass(frozen=True)
class Part:
    """Lines `first` to `last` of a session, as one batch takes them."""

    session: Session
    first: int
    last: int


def distil(run_id: UUID, distiller: Distiller | None = None) -> bool:
    """Do a run, or what is left of one whose worker has gone. Returns whether this call did it to its end.

    Nothing is done where somebody else holds the run or its scope. A distiller or an embedder that refuses puts the run
    off with its reason; what was committed before stays.
    """
    claimed = claim(run_id)
    if claimed is None:
        return False
    try:
        _go_through(claimed, distiller)
        finish(claimed)
    except (DistillerRefused, EmbedderUnavailable) as refusal:
        put_off(claimed, str(refusal))
        return False
    except LeaseLost:
        log.warning("distillation_taken_over", run=str(run_id))
        return False
    return True


def _go_through(claimed: Claim, distiller: Distiller | None) -> None:
    said = layer_settings()
    chosen = distiller or distiller_of(said)
    scope = Scope.objects.select_related("space").get(pk=claimed.run.scope, space=current().space_id)
    embedder = embedder_of(scope.pk)
    with memory_transaction() as act:
        note_embedder(scope.pk, embedder)
        act.record(SYSTEM, "distillation.embedder", str(claimed.run.pk), scope=scope.pk)
    binding = Binding(scope.space, SYSTEM_CALLER, (scope,))
    work = _Work(claimed, binding, said, embedder, Live(scope.pk), known_in(scope.pk))
    for parts in _parts(claimed.plan):
        _one_batch(work, parts, chosen)
    with memory_transaction() as act:
        count_terms(scope.pk)
        act.record(SYSTEM, "distillation.index", str(claimed.run.pk), scope=scope.pk)


def distiller_of(said: LayerSettings) -> Distiller:
    """The distiller that the Space chose, else the instance's."""
    name = said.distiller or settings.KNDL.distiller
    return configured_language_model() if name == "llm" else Extractive(embedder_named(_LOCAL).embed)


def _parts(plan: Sequence[tuple[UUID, int, int]]) -> Iterator[list[Part]]:
    """The plan in batches of about 500 lines; PHI by itself. What the ledger has already is left out."""
    waiting: list[Part] = []
    count = 0
    for session_id, first, last in plan:
        session = Session.objects.filter(pk=session_id).first()
        if session is None:
            continue
        start = max(first, session.distilled_until)
        for begin in range(start, last + 1, BATCH):
            part = Part(session, begin, min(begin + BATCH - 1, last))
            if session.is_phi:
                yield [part]
                continue
            waiting.append(part)
            count += part.last - part.first + 1
            if count >= BATCH:
                yield waiting
                waiting, count = [], 0
    if waiting:
        yield waiting


def _one_batch(work: _Work, parts: list[Part], distiller: Distiller) -> None:
    phi = parts[0].session.is_phi
    if phi and distiller.name != "extractive" and not work.settings.phi_to_model:
        distiller = Extractive(embedder_named(_LOCAL).embed)
    lines, around = _lines(parts)
    echoes = echoes_for(work.scope, [part.session.pk for part in parts])
    heard = [line for line in (replace(item, text=echoes.without(item.text)) for item in lines) if line.text.strip()]
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
        _commit(work, parts, lambda act: commit_phi(act, batch))
    elif work.settings.review:
        blocked = Blocked(work.scope)
        _commit(work, parts, lambda act: _put_up(act, batch, blocked))
    else:
        prepared = prepare(batch, work.live, work.embedder, Blocked(work.scope))
        stored = _commit(work, parts, lambda act: commit_batch(act, batch, prepared))
        for layer, rows in stored.fresh.items():
            work.live.layer(layer).add([row.node for row in rows], np.stack([row.vector for row in rows]))


def _put_up(act: Act, batch: Batch, blocked: Blocked) -> Stored:
    stored = Stored()
    stored.count("for review", put_up_batch(act, batch, blocked))
    return stored


def _lines(parts: Sequence[Part]) -> tuple[list[Line], dict[tuple[int, int], Line]]:
    """The masked lines of the parts, and those just before and after each."""
    lines: list[Line] = []
    around: dict[tuple[int, int], Line] = {}
    for number, part in enumerate(parts):
        for row in lines_of(part.session, max(0, part.first - 1), part.last + 1):
            line = Line(number, row.index, row.role, row.speaker, row.text, row.at)
            if part.first <= row.index <= part.last:
                lines.append(line)
            else:
                around[number, row.index] = line
    return lines, around


def _commit(work: _Work, parts: Sequence[Part], store: Callable[[Act], Stored]) -> Stored:
    """Everything that came of a batch, or nothing: memories, ledger, how far each session is distilled."""
    with memory_transaction() as act:
        run = hold(work.claimed)
        _require_embedder(work)
        at = now()
        DistilledRange.objects.bulk_create(
            DistilledRange(
                run=run,
                scope=work.scope,
                session=part.session.pk,
                generation=part.session.generation,
                first=part.first,
                last=part.last,
                at=at,
            )
            for part in parts
        )
        _advance(parts)
        stored: Stored = store(act)
        stored.count("lines", sum(part.last - part.first + 1 for part in parts))
        for what, number in stored.outcome.items():
            run.outcome[what] = run.outcome.get(what, 0) + number
        run.distiller = work.settings.distiller or settings.KNDL.distiller
        run.save(update_fields=["outcome", "lease_until", "distiller"])
        act.record(SYSTEM, "distillation.batch", str(run.pk), scope=work.scope, outcome=stored.outcome)
    return stored


def _require_embedder(work: _Work) -> None:
    """Raise EmbedderUnavailable when the scope was moved to another embedder since the run began; the retry uses it."""
    stat = ScopeStat.objects.select_for_update().filter(scope=work.scope).first()
    if stat is not None and embedder_of_stat(stat).name != work.embedder.name:
        raise EmbedderUnavailable("The scope was moved to another embedder in the meantime.")


def _advance(parts: Sequence[Part]) -> None:
    """Say how far each session is distilled. Raises LeaseLost where a new pass over one began meanwhile."""
    for part in parts:
        moved = Session.objects.filter(
            pk=part.session.pk, generation=part.session.generation, distilled_until=part.first
        ).update(distilled_until=part.last + 1)
        if not moved:
            raise LeaseLost(f"session {part.session.pk} is distilled elsewhere")
