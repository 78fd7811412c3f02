"""What is measured of a large Library, and its limits (`specs`: 50,000 files on two cores)."""

import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count as count_from
from pathlib import Path
from typing import Any

import django

from bench.limits import Verdict
from bench.service import SPACE, running

FILES = 50_000
MOST_MS = {"manifest": 50.0, "panel page": 150.0, "write": 30.0}
MOST_CHECK_MS = 1_000.0
MOST_UPLOAD_MB = 300.0
A_WRITE = b"x" * 1_000


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of this bench."""
    parser.add_argument("--files", type=int, default=FILES, help="how many the Library holds (50,000)")
    parser.add_argument("--upload", type=int, default=1024, help="megabytes of the large upload (1,024); 0: none")
    parser.add_argument("--data-dir", type=Path, help="keep the Library there, and go on from what it holds already")
    parser.add_argument("--rounds", type=int, default=100, help="how often each thing is done (100)")


def measured(options: Namespace, say: Callable[[str], object]) -> dict[str, Any]:
    """Fill, ask, and return what was measured as JSON values. Raises RuntimeError when an answer is a refusal."""
    with ExitStack() as stack:
        data_dir = options.data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kndl-bench-")))
        data_dir.mkdir(parents=True, exist_ok=True)
        service = stack.enter_context(running(data_dir))
        django.setup()
        from bench.library import filling  # it imports models, which only now can be

        caller, seat = filling.seat(service)
        filling.filled(caller, options.files, say)
        browser = filling.member()
        found: dict[str, Any] = {"files": options.files, "times": _times(options.rounds, seat, browser, data_dir, say)}
        if options.upload:
            say(f"uploading {options.upload:,} MB")
            found["upload"] = _uploaded(options.upload * 1024 * 1024, seat)
        say(str(found))
        return found


def verdicts(found: dict[str, Any]) -> list[Verdict]:
    """What was measured against its limits."""
    times = found["times"]
    judged = [
        Verdict(f"{name}, HTTP, p95", times[name]["p95"], limit, "ms", times[name]["p95"] <= limit)
        for name, limit in MOST_MS.items()
    ]
    check = times["check of the folder"]["p50"]
    judged.append(Verdict("check of the folder, p50", check, MOST_CHECK_MS, "ms", check <= MOST_CHECK_MS))
    if "upload" in found:
        peak = found["upload"]["peak_mb"]
        judged.append(Verdict("memory at the large upload", peak, MOST_UPLOAD_MB, "MB", peak < MOST_UPLOAD_MB))
    return judged


def _times(rounds: int, seat: Any, browser: Any, data_dir: Path, say: Callable[[str], object]) -> dict[str, Any]:
    from bench.library.filling import path_of, synced
    from bench.timing import spread, timed
    from library.checking import check_folder

    numbers = count_from(time.time_ns())
    api = "/api/v1/library"
    acts: dict[str, tuple[int, Callable[[], object]]] = {
        "manifest": (rounds, lambda: seat.ask("GET", f"{api}/manifest")),
        "panel page": (rounds, lambda: browser.ask("GET", f"/spaces/{SPACE}/library")),
        "list of 100": (rounds, lambda: seat.ask("GET", f"{api}/files")),
        "read": (rounds, lambda: seat.ask("GET", f"{api}/files/{path_of(next(numbers) % 100).replace(' ', '%20')}")),
        "write": (rounds, lambda: _written(seat, next(numbers))),
        "rival of a write": (rounds, lambda: synced(data_dir, A_WRITE)),
        "check of the folder": (5, check_folder),
    }
    found = {}
    for name, (count, act) in acts.items():
        say(name)
        act()
        found[name] = vars(spread([timed(act) for _ in range(count)]))
    return found


def _written(seat: Any, number: int) -> None:
    """One write, of a file and a content that are new."""
    seat.ask("PUT", f"/api/v1/library/files/written/at%20{number}.md", A_WRITE + b"%d" % number)


def _uploaded(size: int, seat: Any) -> dict[str, Any]:
    from bench.library.speaking import forget_peak, peak_megabytes, server_process, zeros
    from bench.timing import timed

    process = server_process()
    forget_peak(process)
    before = peak_megabytes(process)
    headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream"}
    spent = timed(lambda: seat.ask("PUT", "/api/v1/library/files/large.bin", zeros(size), headers))
    return {"bytes": size, "seconds": round(spent / 1_000, 1), "before_mb": before, "peak_mb": peak_megabytes(process)}
