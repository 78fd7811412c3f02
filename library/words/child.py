"""The process that reads one file: from its standard input, of which it knows nothing, to its standard output.

It is run by itself, because a file may be made to break whoever reads it. The first line says what became of it, as
JSON; the text follows.
"""

import json
import os
import sys
from typing import BinaryIO

from library.words.gathering import Full, Gathered
from library.words.kinds import Kind, kind_of
from library.words.limits import FAILED, NONE, READ, Refused, confine


def main() -> None:
    """Read the file that is the standard input."""
    confine()
    os.nice(10)
    sys.setrecursionlimit(2_000)
    state, reason, text = outcome(sys.stdin.buffer)
    answer = json.dumps({"state": state, "reason": reason}) + "\n" + text
    sys.stdout.buffer.write(answer.encode())


def outcome(stream: BinaryIO) -> tuple[str, str, str]:
    """The state, the reason where there is one, and the text."""
    gathered = Gathered()
    try:
        _read(stream, gathered)
    except Full:
        pass
    except Refused as error:
        return FAILED, str(error), ""
    except MemoryError:
        return FAILED, "Reading it takes too much memory.", ""
    except Exception:  # noqa: BLE001 - whatever a broken file makes its reader raise
        return FAILED, "It is broken, or not what it seems to be.", ""
    text = gathered.text()
    return (READ, "", text) if text.strip() else (NONE, "", "")


def _read(stream: BinaryIO, gathered: Gathered) -> None:
    kind = kind_of(stream)
    # Loading the readers of both kinds takes longer than reading most files.
    if kind is Kind.PDF:
        from library.words import pdf

        pdf.read(stream, gathered)
    elif kind is Kind.ARCHIVE:
        from library.words import office

        office.read(stream, gathered)


if __name__ == "__main__":
    main()
