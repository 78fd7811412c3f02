"""kill -9 at each step of a write: the old or the new file, never a half one, and the rows say which."""

import json
import subprocess
import sys
from pathlib import Path

from audit.models import AuditRow
from spaces.access import Caller
from tests.library.dying import STEPS
from tests.library.texts import leftovers

ROOT = Path(__file__).resolve().parents[2]
# The write is acknowledged by its commit: whatever dies later, the new file is there.
_COMMITTED = ("bring_up", "_written", "library.folder:")


def test_a_write_that_is_killed_at_any_step_leaves_the_old_or_the_new_file(member: Caller, library: Path) -> None:
    command = [sys.executable, "-m", "tests.library.dying", str(library.parent), member.actor.id]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert done.returncode == 0, done.stderr
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(outcomes) == len(STEPS), done.stdout
    for outcome, (step, _, kind) in zip(outcomes, STEPS, strict=True):
        said = json.dumps(outcome)
        assert outcome["killed"] == 9, said
        assert outcome["gap"] == 0, said
        assert "half" not in {*outcome["left"].values(), *outcome["rows"].values()}, said
        assert outcome["rows"] == outcome["folder"], said
        kept = list(outcome["rows"].values())
        if not any(part in step for part in _COMMITTED):
            assert kept == ["old"], said
        else:
            assert kept == {"replace": ["new"], "move": ["old"], "delete": []}[kind], said
            assert kind != "move" or next(iter(outcome["rows"])).endswith(".moved"), said
    # What died was finished, not repaired.
    assert not AuditRow.objects.using("default").filter(act="library.folder_repaired").exists()
    assert leftovers(library)
