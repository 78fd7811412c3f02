"""The command line: which bench, where its numbers go, and whether they are good enough."""

import json
import os
import platform
import signal
import sys
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path

from bench import facts, kip, layers, library, recall
from bench.report import limits_table

BENCHES = {
    "facts": (facts, "import, queries, contradictions, provenance"),
    "recall": (recall, "answers to questions, and what of them takes how long"),
    "layers": (layers, "ingest, distillation, decay, reinforcement, indexes, transcripts"),
    "library": (library, "manifest, pages and writes of 50,000 files, a large upload"),
    "kip": (kip, "queries, hops, search, changes and parsing on a large graph"),
}


def main() -> int:
    """Measure, print, and return 1 when a limit is missed."""
    parser = ArgumentParser(prog="python -m bench", description="Speed as numbers, each beside its rival.")
    benches = parser.add_subparsers(dest="bench", required=True, metavar="BENCH")
    for name, (bench, what) in BENCHES.items():
        flags = benches.add_parser(name, help=what)
        bench.add_arguments(flags)
        flags.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there, not to standard output")
    options = parser.parse_args()
    chosen, _ = BENCHES[options.bench]
    # So that the server of the bench is stopped with it.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    found = {
        "bench": options.bench,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"cores": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()},
        **chosen.measured(options, lambda line: print(line, file=sys.stderr, flush=True)),
    }
    judged = chosen.verdicts(found)
    found["limits"] = [vars(verdict) for verdict in judged]
    text = json.dumps(found, indent=1)
    if options.json:
        options.json.write_text(text + "\n", "utf-8")
    else:
        print(text)
    print(limits_table(judged), file=sys.stderr)
    return 0 if all(verdict.kept for verdict in judged) else 1


if __name__ == "__main__":
    sys.exit(main())
