"""What a running agent is given of the disk: a folder, where it appears, and whether it may be written to."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class Mount:
    """A folder of this machine that appears elsewhere.

    `source` is absolute; `target` is where it appears, as the one who reads it sees it. `left_out` are paths relative
    to `source` that are not to appear; `why` says in a sentence what the folder is given for.
    """

    name: str
    source: Path
    target: str
    mode: Literal["ro", "rw"]
    left_out: tuple[str, ...] = ()
    why: str = ""
