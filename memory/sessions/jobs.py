"""Large transcripts as jobs: their bytes wait sealed in the Space's database, any worker goes on where one ended."""

import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import structlog
from django.db.models import Q, QuerySet

from audit.recording import Act, Actor
from common.crypto import NotOpened, seal, unseal
from common.errors import Invalid, NotFound
from common.times import now
from memory.keys.keeping import SPACE_KEY, key_for
from memory.leases import LEASE, LeaseLost
from memory.sessions.importing import Outcome, import_transcript
from memory.sessions.masking import mask
from memory.sessions.models import TranscriptImport, TranscriptPiece
from spaces.access import Binding, Caller
from spaces.databases.entering import current
from spaces.databases.transactions import memory_transaction
from spaces.models import Scope, Space

PIECE = 1024 * 1024
MOST_ATTEMPTS = 5
_OPEN = (TranscriptImport.State.WAITING, TranscriptImport.State.RUNNING)
_LONGEST_NAME = 200
log = structlog.get_logger()


def keep_transcript(binding: Binding, stream: BinaryIO, name: str, size: int) -> TranscriptImport:
    """Keep a file for a worker to import into the bound scope; afterwards nothing of its bytes is left."""
    actor = str(binding.caller.actor)
    with memory_transaction() as act:
        job = TranscriptImport.objects.create(
            scope=binding.one.pk, name=mask(name[:_LONGEST_NAME]).text, size=size, asked_by=actor
        )
        _, key = key_for(0, SPACE_KEY, None)
        stream.seek(0)
        number = 0
        while piece := stream.read(PIECE):
            TranscriptPiece.objects.create(job=job, number=number, sealed=seal(key, piece, _place(job, number)))
            number += 1
        act.record(binding.caller.actor, "transcript.keep", _target(job), scope=job.scope, size=size)
    return job


def find_import(binding: Binding, import_id: str) -> TranscriptImport:
    """A job of the bound scopes. Raises NotFound."""
    try:
        named = uuid.UUID(import_id)
    except ValueError:
        raise NotFound("There is no such import.") from None
    job = TranscriptImport.objects.filter(scope__in=binding.scope_ids, pk=named).first()
    if job is None:
        raise NotFound("There is no such import.")
    return job


def outcome_of(job: TranscriptImport) -> Outcome:
    """What became of the transcript so far."""
    return Outcome.of(job.outcome)


def unattended() -> list[uuid.UUID]:
    """The jobs of the Space that wait for a worker, or whose worker has not been heard of."""
    waiting = TranscriptImport.objects.filter(Q(lease_until=None) | Q(lease_until__lt=now()), state__in=_OPEN)
    return list(waiting.order_by("asked_at").values_list("pk", flat=True))


def run(space: Space, import_id: uuid.UUID) -> None:
    """Do a job of the Space one is in, from where it was left; nothing when another worker has it, or it is done."""
    lease = uuid.uuid4()
    job = _claimed(import_id, lease)
    if job is None:
        return
    try:
        _Run(space, job, lease).work()
    except LeaseLost:
        log.info("transcript_lease_lost", job=str(import_id))
    except Invalid as error:
        _end(job, lease, TranscriptImport.State.FAILED, reason=error.detail)
    except (NotOpened, Scope.DoesNotExist):
        _end(job, lease, TranscriptImport.State.FAILED, reason="What was kept of the file does not open any more.")
    except Exception:
        log.exception("transcript_import_broke_off", job=str(import_id))
        if job.attempts >= MOST_ATTEMPTS:
            reason = f"It broke off {MOST_ATTEMPTS} times. The log of the service says why."
            _end(job, lease, TranscriptImport.State.FAILED, reason=reason)
        else:
            _mine(job, lease).update(lease=None, lease_until=None)


@dataclass
class _Run:
    """One worker's turn at a job."""

    space: Space
    job: TranscriptImport
    lease: uuid.UUID

    def work(self) -> None:
        job = self.job
        scope = Scope.objects.get(pk=job.scope, space=self.space)
        kind, _, name = job.asked_by.partition(":")
        binding = Binding(self.space, Caller(Actor(kind, name), job.asked_by), (scope,))
        with tempfile.TemporaryFile() as file:
            for piece in _pieces(job):
                file.write(piece)
            done = import_transcript(
                binding, file, job.name, outcome=outcome_of(job), keep=self._keep, progress=self._note
            )
        _end(job, self.lease, TranscriptImport.State.DONE, outcome=done)

    def _note(self, done: int) -> None:
        self.job.bytes_done = done

    def _keep(self, act: Act, outcome: Outcome) -> None:
        """What the batch made of the job, in the batch's own transaction. Raises LeaseLost."""
        changed = {"outcome": outcome.kept(), "bytes_done": self.job.bytes_done, "lease_until": now() + LEASE}
        if not _mine(self.job, self.lease).update(**changed):
            raise LeaseLost


def _claimed(import_id: uuid.UUID, lease: uuid.UUID) -> TranscriptImport | None:
    free = TranscriptImport.objects.filter(
        Q(lease_until=None) | Q(lease_until__lt=now()), pk=import_id, state__in=_OPEN
    )
    if not free.update(lease=lease, lease_until=now() + LEASE, state=TranscriptImport.State.RUNNING):
        return None
    job = TranscriptImport.objects.get(pk=import_id)
    job.attempts += 1
    _mine(job, lease).update(attempts=job.attempts)
    return job


def _end(
    job: TranscriptImport, lease: uuid.UUID, state: str, *, reason: str = "", outcome: Outcome | None = None
) -> None:
    with memory_transaction() as act:
        changed = {} if outcome is None else {"outcome": outcome.kept(), "bytes_done": job.size}
        end = {"state": state, "reason": reason, "finished_at": now(), "lease": None, "lease_until": None}
        if not _mine(job, lease).update(**end, **changed):
            raise LeaseLost
        TranscriptPiece.objects.filter(job=job).delete()
        kind, _, name = job.asked_by.partition(":")
        act.record(Actor(kind, name), f"transcript.{state}", _target(job), scope=job.scope)


def _pieces(job: TranscriptImport) -> Iterator[bytes]:
    _, key = key_for(0, SPACE_KEY, None)
    for piece in TranscriptPiece.objects.filter(job=job).order_by("number").iterator(chunk_size=4):
        yield unseal(key, piece.sealed, _place(job, piece.number))


def _mine(job: TranscriptImport, lease: uuid.UUID) -> QuerySet[TranscriptImport]:
    return TranscriptImport.objects.filter(pk=job.pk, lease=lease, state=TranscriptImport.State.RUNNING)


def _place(job: TranscriptImport, number: int) -> str:
    return f"transcript:{current().space_id}:{job.scope}\n{job.pk}\n{number}"


def _target(job: TranscriptImport) -> str:
    return f"transcript:{job.pk}"
