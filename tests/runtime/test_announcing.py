"""Other commands learn where the `up` on their folder is, and from nothing that a killed one left."""

import subprocess
import sys
from pathlib import Path

from kndl_site.announcing import announced, origin_of_running
from tests.instances import ROOT

ORIGIN = "http://localhost:8123"


def test_an_address_is_known_while_the_block_runs_and_no_longer(tmp_path: Path) -> None:
    assert origin_of_running(tmp_path) is None
    with announced(tmp_path, ORIGIN):
        assert origin_of_running(tmp_path) == ORIGIN
        assert origin_of_running(tmp_path) == ORIGIN, "asking changes nothing"
    assert origin_of_running(tmp_path) is None
    with announced(tmp_path, "http://localhost:1"):
        assert origin_of_running(tmp_path) == "http://localhost:1"


def test_what_a_killed_one_left_is_not_taken_for_true(tmp_path: Path) -> None:
    program = (
        "import os, pathlib, sys; from kndl_site.announcing import announced\n"
        f"with announced(pathlib.Path(sys.argv[1]), {ORIGIN!r}): os._exit(9)"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, timeout=60, check=False)
    assert killed.returncode == 9
    assert (tmp_path / "run-locks" / "up.origin").read_text() == ORIGIN
    assert origin_of_running(tmp_path) is None
    with announced(tmp_path, "http://localhost:1"):
        assert origin_of_running(tmp_path) == "http://localhost:1"
