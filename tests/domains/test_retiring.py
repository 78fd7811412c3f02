"""Retiring a domain, also when it is cut short at every step."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from common.times import now
from domains import siblings
from domains.models import Domain, DomainKey, Evidence
from domains.mounts import mounts_of
from domains.places import archive_of, views_of
from domains.ticking import tick
from spaces import operations
from spaces.models import Operation
from tests.domains.together import CONTEXT, KEYS, LOG, Together, acts, folder_in


def retire(together: Together):
    return together.browser("boss").post("shared/retire")


def filled(together: Together) -> None:
    together.write(KEYS, "PAYER=retired value\n")
    together.write(LOG, f"{now().date().isoformat()} · alpha · one\n")
    together.settle()
    together.write(KEYS, b"PAYER=\xffretired value\n")
    together.settle()
    (together.folder / "notes.txt").write_text("notes\n")
    (together.folder / "keys.md~").write_text("PAYER=retired value\n")
    (together.folder / "sub").mkdir()
    (together.folder / "sub/Keys.md").write_text("PAYER=retired value\n")
    (folder_in(together.alpha) / "README.md").write_text("# Alpha\n")
    siblings.refresh(together.domain)


def is_retired_in_full(together: Together) -> None:
    archive = archive_of(together.domain)
    assert not together.folder.exists()
    assert not views_of(together.domain).exists()
    assert sorted(path.name for path in archive.iterdir()) == [".gitignore", CONTEXT, LOG, "notes.txt", "sub"]
    assert stat.S_IMODE((archive / LOG).stat().st_mode) == 0o444
    assert "alpha · one" in (archive / LOG).read_text()
    assert not DomainKey.objects.exists()
    assert [bytes(one.content) for one in Evidence.objects.filter(file=KEYS)] == [b""]
    found = subprocess.run(["grep", "-r", "retired value", together.folder.parent], capture_output=True, check=False)
    assert found.stdout == b""
    assert Operation.objects.get(kind="retire_domain").done_at is not None


def test_a_retired_domain_is_unmounted_and_its_keys_are_gone_and_the_rest_can_be_read(together: Together):
    filled(together)
    unproved = together.browser("boss", confirmed=False).post("shared/retire")
    assert (unproved.status_code, unproved.json()["code"]) == (403, "confirmation_required")
    answer = retire(together)
    assert (answer.status_code, answer.json()["retired_at"] is not None) == (200, True)
    is_retired_in_full(together)
    assert mounts_of(together.alpha) == []
    tick()
    is_retired_in_full(together)
    teammate = together.browser("teammate")
    assert teammate.get("shared/context").json()["text"] == "# Shared\n"
    assert [line["change"] for line in teammate.get("shared/log").json()["lines"]] == ["one"]
    assert teammate.get("shared/keys").json()["keys"] == []
    assert teammate.get().json()["domains"] == []
    assert [found["slug"] for found in teammate.get(retired="true").json()["domains"]] == ["shared"]
    assert acts("domain.retire") == ["domain.retire"]


def test_the_archive_has_nothing_of_git_and_that_is_on_record(together: Together):
    for place in (together.folder / ".git", together.folder / "sub/.git"):
        (place / "objects").mkdir(parents=True)
        (place / "objects/blob").write_text("PAYER=retired value\n")
        (place / "objects/blob").chmod(0o444)
        (place / "objects").chmod(0o555)
    (together.folder / "sub/notes.txt").write_text("notes\n")
    assert retire(together).status_code == 200
    found = sorted(
        path.relative_to(archive_of(together.domain)).as_posix() for path in archive_of(together.domain).rglob("*")
    )
    assert found == [".gitignore", CONTEXT, LOG, "sub", "sub/notes.txt"]
    assert acts("domain.git_left_out") == ["domain.git_left_out"]


@pytest.mark.parametrize(
    ("method", "path", "body", "who"),
    [
        ("PUT", "shared/context", {"text": "# Other text"}, "teammate"),
        ("POST", "shared/log", {"change": "x", "project": "alpha"}, "teammate"),
        ("PUT", "shared/keys/A", {"value": "x"}, "owner"),
        ("PATCH", "shared", {"name": "x"}, "boss"),
        ("PUT", "shared/members", {"members": []}, "boss"),
        ("POST", "shared/retire", None, "boss"),
    ],
)
def test_nothing_is_written_to_a_retired_domain(together: Together, method, path, body, who):
    assert retire(together).status_code == 200
    answer = together.browser(who).send(method, path, body, If_Match='"1"')
    assert (answer.status_code, answer.json()["code"]) == (409, "retired")
    assert not together.folder.exists()


# Each child runs the operation and is killed before or after a step; none has a connection of its parent's.
KILLED = """
import os, signal, sys
from pathlib import Path
import django
django.setup()
from django.conf import settings
from domains import retiring
from spaces import operations
from spaces.models import Operation
settings.KNDL = settings.KNDL.model_copy(update={"data_dir": Path(sys.argv[1])})

def killing(name, step, at, when):
    def run(operation):
        if (name, when) == (at, "before"):
            os.kill(os.getpid(), signal.SIGKILL)
        step(operation)
        if name == at:
            os.kill(os.getpid(), signal.SIGKILL)
    return run

for at, when in [("views", "after"), ("keys", "after"), ("archive", "before"), ("archive", "after")]:
    child = os.fork()
    if not child:
        steps = tuple((name, killing(name, step, at, when)) for name, step in retiring.RETIRE.steps)
        object.__setattr__(retiring.RETIRE, "steps", steps)
        operations.run(Operation.objects.get(kind="retire_domain"))
        os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.usefixtures("committed_db")
def test_a_kill_between_any_two_steps_loses_and_repeats_nothing(together: Together, data: Path, monkeypatch):
    filled(together)
    monkeypatch.setattr(operations, "run", lambda operation: None)
    assert retire(together).status_code == 200
    monkeypatch.undo()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(data)],
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "kndl_site.settings"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.split() == [str(-signal.SIGKILL)] * 4, done.stderr
    Operation.objects.update(next_try_at=now())
    assert operations.finish_due() == 1
    is_retired_in_full(together)
    assert Domain.objects.get().retired_at is not None
