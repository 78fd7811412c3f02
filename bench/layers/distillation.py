"""Extractive distillation: of several sessions in this process, and of one long session in a process of its own."""

import json
import subprocess
import sys
from typing import Any
from uuid import UUID

from audit.recording import SYSTEM
from bench.layers.lines import ingested
from bench.layers.space import Seated
from bench.layers.timing import Rate, timed_rate
from bench.service import ROOT
from memory.layers.distilling import distil
from memory.layers.models import Distillation
from memory.layers.runs import ask
from spaces.databases.transactions import memory_transaction

_LONG_BOOK = 1_002


def distilled_in(scope: int) -> tuple[Rate, dict[str, int]]:
    """Distil all lines that wait in a scope; returns lines a second, all committed, and what came of them."""
    run = _asked(scope)
    clock = timed_rate(0)
    if not clock.run(lambda: distil(run)):
        raise RuntimeError("a worker of the service was quicker, or the distiller refused")
    outcome = Distillation.objects.get(pk=run).outcome
    clock.count = outcome["lines"]
    return clock.rate(), outcome


def distilled_alone(one: Seated, lines: int) -> dict[str, Any]:
    """Distil one session of so many lines in a new process, as a worker would; its rate and its peak RSS in MB."""
    ingested(one, lines, book=_LONG_BOOK, a_session=lines)
    command = [sys.executable, "-m", "bench.layers.alone", str(one.binding.space.pk), str(one.scope)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the long session was not distilled:\n{done.stderr[-2_000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _asked(scope: int) -> UUID:
    with memory_transaction() as act:
        return ask(act, scope, SYSTEM, Distillation.Trigger.MANUAL).pk
