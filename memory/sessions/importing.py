"""Bringing in transcripts: each line once in a scope, a batch at a time, so that a kill loses and doubles nothing."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from audit.recording import Act
from common.errors import Invalid
from memory.sessions.masking import mask
from memory.sessions.merging import Merge, Standing
from memory.sessions.transcripts import (
    NotATranscript,
    Tally,
    TranscriptLine,
    TranscriptSession,
    read_transcripts,
)
from spaces.access import Binding
from spaces.databases.transactions import attempted

BATCH_LINES, BATCH_CHARACTERS = 2_000, 2_000_000


@dataclass
class Outcome:
    """What became of a transcript.

    `position` is how many of its lines are worked through, in the order of reading, and `standing` how the session of
    the last of them stood then.
    """

    position: int = 0
    standing: dict[str, Any] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    lines: int = 0
    unchanged: int = 0
    masked: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    broken: list[dict[str, Any]] = field(default_factory=list)
    broken_count: int = 0

    def document(self) -> dict[str, Any]:
        """As REST shows it: `broken` holds line numbers, `broken_lines` the first 1,000 of them with their reasons."""
        return {
            "sessions": [{"id": key, "client_id": client_id} for key, client_id in self.sessions.items()],
            "lines": self.lines,
            "unchanged": self.unchanged,
            "skipped": dict(self.skipped),
            "masked": dict(self.masked),
            "broken": [item["line"] for item in self.broken],
            "broken_count": self.broken_count,
            "broken_lines": self.broken,
        }

    def kept(self) -> dict[str, Any]:
        """As it is kept between two batches."""
        return vars(self).copy()

    @classmethod
    def of(cls, kept: dict[str, Any]) -> "Outcome":
        """What `kept` gave."""
        counters = {name: Counter(kept.get(name, {})) for name in ("masked", "skipped")}
        return cls(**kept | counters)

    def finish(self, tally: Tally) -> None:
        """Take over what was left out, which is known when the last line was read."""
        self.skipped = tally.skipped
        self.broken = [
            {"file": mask(item.file).text, "line": item.number, "reason": item.reason} for item in tally.broken
        ]
        self.broken_count = tally.broken_total


def import_transcript(
    binding: Binding,
    stream: BinaryIO,
    name: str,
    *,
    outcome: Outcome | None = None,
    keep: Callable[[Act, Outcome], None] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Outcome:
    """Import a seekable file into the bound scope. What is there already stays as it is.

    An import that was cut off goes on with its `outcome`; `keep` is called in the transaction of each batch, and
    `progress` with the bytes done. Raises Invalid when the file is no transcript.
    """
    outcome, tally = outcome or Outcome(), Tally()
    ahead = outcome.position
    try:
        for transcript in read_transcripts(stream, name, tally, progress):
            standing = Standing()
            for batch in _batches(transcript.lines):
                if ahead:
                    standing = Standing.of(outcome.standing)
                fresh, ahead = batch[ahead:], max(ahead - len(batch), 0)
                if fresh:
                    standing = _imported(binding, transcript, fresh, standing, outcome, keep)
    except NotATranscript as error:
        raise Invalid(str(error), field="transcript") from None
    outcome.finish(tally)
    return outcome


def _imported(
    binding: Binding,
    transcript: TranscriptSession,
    batch: list[TranscriptLine],
    standing: Standing,
    outcome: Outcome,
    keep: Callable[[Act, Outcome], None] | None,
) -> Standing:
    def write(act: Act) -> tuple[Standing, Outcome]:
        merge = Merge(act, binding, transcript, standing)
        merge.take(batch)
        after = Outcome.of(outcome.kept())
        after.position += len(batch)
        after.standing = merge.standing.kept()
        after.sessions = outcome.sessions | merge.sessions
        after.lines += merge.added
        after.masked = outcome.masked + merge.masked
        unchanged = len(batch) - merge.added
        after.unchanged += unchanged
        actor, scope = binding.caller.actor, binding.one.pk
        act.record(actor, "transcript.import", scope=scope, count=merge.added, unchanged=unchanged)
        if keep is not None:
            keep(act, after)
        return merge.standing, after

    stands, after = attempted(write)
    vars(outcome).update(vars(after))
    return stands


def _batches(lines: Iterable[TranscriptLine]) -> Iterator[list[TranscriptLine]]:
    batch: list[TranscriptLine] = []
    size = 0
    for line in lines:
        if batch and (len(batch) == BATCH_LINES or size + len(line.text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line.text)
    if batch:
        yield batch
