"""The `kndl` command as a shell meets it: the real file, run as a process."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "seats" / "kndl" / "kndl.py"
TOKEN = "kndl_seat_0123456789"
REQUIRED = ["--statement", "Customer 9281 has a score of 720", "--confidence", "0.95", "--source", "https://a.test/1"]


class Ran:
    """What a run of the command left."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.status, self.out, self.err = done.returncode, done.stdout.decode(), done.stderr.decode()

    @property
    def json(self) -> Any:
        """Return the answer; the command has to have succeeded."""
        assert self.status == 0, self.err
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """Return what went to standard error; the command has to have failed, in words."""
        assert self.status == 1, self.out
        assert self.out == ""
        assert self.err.startswith("error: "), self.err
        assert "Traceback" not in self.err
        return self.err


def ran(words: Sequence[str | bytes], environ: Mapping[str, str | None], *python: str) -> Ran:
    """Run the command with these words in this environment only; a name with None is left out."""
    kept = {name: value for name, value in environ.items() if value is not None}
    command = [sys.executable, *(python or [str(FILE)]), *words]
    return Ran(subprocess.run(command, env=kept, cwd=ROOT, capture_output=True, timeout=60, check=False))
