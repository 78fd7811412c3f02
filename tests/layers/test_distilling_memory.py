"""A long session is distilled in bounded memory: in a worker of its own, whose peak the system tells."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.layers.told import Talk

LINES = 10_000
MOST_MEGABYTES = 400
WORKER = """
import sys, uuid
import django
django.setup()
from memory.layers.distilling import distil
from spaces.databases.entering import entered
from spaces.models import Space

with entered(Space.objects.get(pk=sys.argv[1])):
    assert distil(uuid.UUID(sys.argv[2]))
# The kernel's own peak of this program: what `getrusage` says counts the parent's memory before the exec.
with open("/proc/self/status") as status:
    peak = next(line for line in status if line.startswith("VmHWM:"))
print(int(peak.split()[1]) // 1024)
"""
WHO = ("the miller", "our neighbour", "the ferryman", "a carpenter", "the teacher", "Bo's aunt", "the whole choir")
DID = ("repaired", "painted", "sold", "borrowed", "forgot", "measured", "praised", "cleaned", "photographed")
WHAT = ("boat", "chapel door", "weather vane", "piano", "ladder", "greenhouse", "fishing net", "stone bridge")
WHEN = ("before the harvest", "on the first warm day", "during the fair", "after the storm", "last winter")
WHY = ("because of the frost", "for his sister", "without a word", "to everyone's surprise", "for a small price")


def talk_of(count: int) -> Iterator[str]:
    choose = random.Random(11)
    for number in range(count):
        parts = [choose.choice(part) for part in (WHO, DID, WHAT, WHEN, WHY)]
        yield f"In story {number} {parts[0]} {parts[1]} the {parts[2]} {parts[3]}, {parts[4]}."


@pytest.mark.slow
@pytest.mark.usefixtures("committed_db")
def test_ten_thousand_lines_take_less_than_a_worker_has(north: Any):
    talk = Talk(north)
    talk.say(*talk_of(LINES))
    run = talk.ask()
    environ = os.environ | {"DJANGO_SETTINGS_MODULE": "kndl_site.settings"}
    command = [sys.executable, "-c", WORKER, str(north.pk), str(run.pk)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=900, check=True)
    assert talk.found(run).outcome["lines"] == LINES
    assert int(done.stdout) < MOST_MEGABYTES, f"{done.stdout} MB"
