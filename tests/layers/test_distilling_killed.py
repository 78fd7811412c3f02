"""A worker that is killed with SIGKILL in the middle of a batch, as an operating system does it."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest

from common.times import now
from tests.layers.told import Talk

# A worker with batches of five lines, which ends itself at the given step of the second one.
WORKER = """
import os, signal, sys, uuid
import django
django.setup()
from memory.layers import distilling
from memory.layers.parts import Room
from spaces.databases.entering import entered
from spaces.models import Space

space_id, run, step = sys.argv[1:]
distilling.USUAL = Room(5, 1_000_000)
real, calls = getattr(distilling, step), []

def killed(*given, **named):
    calls.append(step)
    found = real(*given, **named)
    if len(calls) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return found

setattr(distilling, step, killed)
with entered(Space.objects.get(pk=space_id)):
    distilling.distil(uuid.UUID(run))
"""
SAID = [f"Tomas repaired the pump of well {number} before the harvest of that year" for number in range(12)]


@pytest.mark.usefixtures("committed_db")
@pytest.mark.parametrize(("step", "whole"), [("_enter", 1), ("_commit", 2)])
def test_a_killed_worker_leaves_whole_batches_and_the_next_one_does_the_rest(north: Any, step: str, whole: int):
    talk = Talk(north)
    talk.say(*SAID)
    run = talk.ask()
    command = [sys.executable, "-c", WORKER, str(north.pk), str(run.pk), step]
    environ = os.environ | {"DJANGO_SETTINGS_MODULE": "kndl_site.settings"}
    ended = subprocess.run(command, env=environ, timeout=120, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len(talk.ledger()) == whole
    assert talk.found(run).state == "running"
    talk.update(run, lease_until=now() - timedelta(seconds=1))
    assert talk.work(run)
    assert talk.texts() == SAID
    assert talk.rows("select count(*) from node_index where layer = 1") == [(12,)]
