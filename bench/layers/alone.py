"""`python -m bench.layers.alone SPACE SCOPE`: distil what waits in a scope, with all that a worker has loaded."""

import json
import sys
from pathlib import Path

import django

KB = 1_024


def main(space_id: str, scope: int) -> None:
    """Print the rate and the peak of memory."""
    django.setup()
    import kndl_site.celery  # noqa: F401 - a worker loads it
    from bench.layers.distillation import distilled_in
    from spaces.databases.entering import entered
    from spaces.models import Space

    with entered(Space.objects.get(pk=space_id)):
        before = peak_mb()
        rate, outcome = distilled_in(scope)
    print(json.dumps({**rate.document(), "outcome": outcome, "before_mb": before, "peak_mb": peak_mb()}))


def peak_mb() -> float:
    """The most memory that this process has had so far. What getrusage says includes what its parent had."""
    said = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(said.split()[1]) / KB


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
