"""A transcript as it arrives: imported at once when it is small, else kept for a worker."""

import tempfile
from collections.abc import Callable
from typing import BinaryIO

from common.errors import Invalid, TooLarge
from common.times import now
from memory.sessions.importing import Outcome, import_transcript
from memory.sessions.jobs import keep_transcript
from memory.sessions.models import TranscriptImport
from memory.sessions.tasks import wake
from spaces.access import Binding
from spaces.hinting import due_by

MOST_BYTES = 200 * 1024 * 1024
AT_ONCE = 2 * 1024 * 1024
_CHUNK = 256 * 1024


def take_transcript(binding: Binding, read: Callable[[int], bytes], name: str) -> Outcome | TranscriptImport:
    """Take a file that `read(size)` gives in pieces: what became of it, or the job that one of more than 2 MB became.

    Raises Invalid when it is empty or no transcript, and TooLarge beyond 200 MB.
    """
    with tempfile.TemporaryFile() as file:
        size = _copied(read, file)
        if size <= AT_ONCE:
            return import_transcript(binding, file, name)
        job = keep_transcript(binding, file, name, size)
    due_by(binding.space.pk, now())
    wake(job.pk)
    return job


def _copied(read: Callable[[int], bytes], file: BinaryIO) -> int:
    size = 0
    while piece := read(_CHUNK):
        size += len(piece)
        if size > MOST_BYTES:
            raise TooLarge(f"The file has more than {MOST_BYTES // 1024 // 1024} MB.")
        file.write(piece)
    if not size:
        raise Invalid("is empty", field="transcript")
    file.seek(0)
    return size
