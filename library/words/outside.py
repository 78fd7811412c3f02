"""Reading a file: what is text, here; what a reader has to take apart, in a process of its own that may break."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from library.words import plain
from library.words.gathering import Full, Gathered
from library.words.kinds import Kind, kind_of
from library.words.limits import FAILED, MOST_OUTPUT, NONE, READ, SECONDS

_ROOT = Path(__file__).resolve().parent.parent.parent
_PATIENCE = 2 * SECONDS


@dataclass(frozen=True)
class Words:
    """What was read of a content. `state` is read, none or failed; `reason` says why it failed."""

    state: str
    text: str = ""
    reason: str = ""


def words_of(stream: BinaryIO) -> Words:
    """The text of a file that has a descriptor and stands at its beginning; never raises for what is in it."""
    kind = kind_of(stream)
    if kind is Kind.OTHER:
        return _plain(stream)
    if kind is Kind.OLD_OFFICE:
        return Words(FAILED, reason="Office files of before 2007 are not read, nor are encrypted ones.")
    # The other process has the descriptor, not what was read ahead here.
    os.lseek(stream.fileno(), 0, os.SEEK_SET)
    return _read_outside(stream)


def _plain(stream: BinaryIO) -> Words:
    gathered = Gathered()
    with suppress(Full):
        plain.read(stream, gathered)
    text = gathered.text()
    return Words(READ, text) if text.strip() else Words(NONE)


def _read_outside(stream: BinaryIO) -> Words:
    with tempfile.TemporaryFile() as answer:
        process = subprocess.Popen(
            [sys.executable, "-m", "library.words.child"],
            cwd=_ROOT,
            stdin=stream,
            stdout=answer,
            stderr=subprocess.DEVNULL,
            # None of our secrets; and no shared pool of threads, each of which would count against its memory.
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"},
            start_new_session=True,
        )
        try:
            status = process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            return Words(FAILED, reason="Reading it takes too long.")
        finally:
            _end(process)
        answer.seek(0)
        return _understood(status, answer.read(MOST_OUTPUT))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Leave nothing of it running."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _understood(status: int, answer: bytes) -> Words:
    if -status in {signal.SIGXCPU, signal.SIGKILL}:
        return Words(FAILED, reason="Reading it takes too long, or too much memory.")
    head, line_end, text = answer.partition(b"\n")
    if status or not line_end:
        return Words(FAILED, reason="Its reader broke down.")
    said = json.loads(head)
    if said["state"] not in {READ, NONE}:
        return Words(FAILED, reason=said["reason"])
    return Words(said["state"], text.decode())
