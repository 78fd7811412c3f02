"""The same journeys in one process on the in-process broker, and in processes of their own on Redis."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kndl_site.embedded import superuser_connection
from tests.instances import ROOT, Instance
from tests.runtime.asking import Asker
from tests.runtime.separate import Separate

# A Space whose making is cut off after its rows were written, as by a kill -9, and due for its next try.
CUT_OFF = """
import django
django.setup()
from spaces import making, operations
from spaces.access import SYSTEM_CALLER
from spaces.models import Operation, Space
from common.times import now
operations.run = lambda operation: None
making.make_space(SYSTEM_CALLER, "cut-off", "Cut off")
Operation.objects.filter(done_at=None).update(next_try_at=now())
"""


class OneProcess(Instance):
    """`manage.py up`."""

    @property
    def database_dir(self) -> Path:
        """The folder of the server that holds its databases."""
        return self.data_dir

    def wake(self) -> None:
        """Have a tick come now: there is one at each start."""
        self.stop()
        self.start()


@pytest.fixture(scope="module", params=[pytest.param("one", id="one process"),
                                        pytest.param("redis", id="redis", marks=pytest.mark.redis)])  # fmt: skip
def kndl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneProcess | Separate]:
    folder = tmp_path_factory.mktemp("k")
    with OneProcess(folder / "data") if request.param == "one" else Separate(folder) as running:
        yield running


def is_open(kndl: OneProcess | Separate, slug: str) -> bool:
    with superuser_connection(kndl.database_dir, "kndl") as connection:
        found = connection.execute("select state = 'ready' from spaces_space where slug = %s", [slug]).fetchone()
    return found == (True,)


def test_the_worker_makes_it_ready_facts_are_kept_and_a_making_that_was_cut_off_is_finished(
    kndl: OneProcess | Separate,
) -> None:
    ready = Asker(kndl.port).get("/readyz")
    assert (ready.status, ready.json["checks"]["worker"]) == (200, "ok")

    made = kndl.run("seat_create", "--space", "demo", "--create", "--verbs", "all")
    assert made.returncode == 0, made.stderr
    seat = Asker(kndl.port, made.stdout.split()[-1])
    written = seat.write("demo", subject="customer:9281")
    assert written.status == 201, written.body
    assert seat.get(f"/api/v1/spaces/demo/facts/{written.json['@id']}").json["subject"] == "customer:9281"
    assert seat.subjects("demo") == ["customer:9281"]

    environ = kndl.environ | {"DJANGO_SETTINGS_MODULE": "kndl_site.settings"}
    subprocess.run([sys.executable, "-c", CUT_OFF], cwd=ROOT, env=environ, check=True, timeout=60)
    assert not is_open(kndl, "cut-off")
    kndl.wake()
    deadline = time.monotonic() + 30
    while not is_open(kndl, "cut-off"):
        assert time.monotonic() < deadline, kndl.err
        time.sleep(0.1)
    assert seat.subjects("demo") == ["customer:9281"]

    verified = kndl.run("audit_verify")
    assert verified.returncode == 0, verified.stderr
    assert [line.split(":")[0] for line in verified.stdout.splitlines()] == ["control", "cut-off", "demo"]
    heads = kndl.data_dir / "audit-heads"
    assert len(list(heads.glob("*.jsonl"))) >= 2, "the tick wrote the chains' heads outside the databases"

    assert kndl.stop() == 0
    assert "Traceback" not in kndl.err
    assert "limit=1000" not in kndl.err, "no query is in any log"
