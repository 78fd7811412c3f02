"""A running Kndl to which PHI is written: no file of it, no log and no dump of a database holds a word."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from kndl_site.embedded import connection_parameters, superuser_connection
from kndl_site.embedded.cluster import programs
from tests.instances import ROOT, Instance
from tests.phi.markers import CONSENT, SAID, SUBJECT, WHOSE, found_in, marked_fact
from tests.runtime.asking import FACT, Asker

pytestmark = pytest.mark.slow

# The positive control: what is no PHI is found by the same search.
PLAIN = "qzxplainwvk"
SPACE = "/api/v1/spaces/demo"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """A Kndl that says as much as it can be asked to."""
    environ = {"KNDL_LOG_LEVEL": "debug", "KNDL_DEBUG": "1"}
    with Instance(tmp_path_factory.mktemp("phi") / "data", environ=environ) as instance:
        yield instance


@pytest.fixture(scope="module")
def seat(up: Instance) -> Asker:
    """A seat in the Space `demo` with every verb and purpose."""
    made = up.run("seat_create", "--space", "demo", "--create", "--verbs", "all")
    assert made.returncode == 0, made.stderr
    return Asker(up.port, made.stdout.split()[-1])


def plant(seat: Asker) -> None:
    """Write, read, refuse and break, with markers in every field of every request."""
    giver, evidence = f"human://{WHOSE['giver']}", WHOSE["evidence"]
    body = {"id": CONSENT, "subject": SUBJECT, "purposes": ["treatment"], "granted_by": giver, "evidence": evidence}
    assert seat.ask("POST", f"{SPACE}/consents", body).status == 201
    fact = marked_fact("fact:m1")
    for name in ("recordedAt", "kndl:file"):
        del fact[name]
    assert seat.ask("POST", f"{SPACE}/facts", fact, Idempotency_Key="k1").status == 201
    assert seat.ask("POST", f"{SPACE}/facts", fact, Idempotency_Key="k1").status == 201
    assert seat.ask("POST", f"{SPACE}/facts", FACT | {"statement": PLAIN}).status == 201
    refused = [fact, fact | {"confidence": SAID["object"]}, fact | {"@id": "fact:m2", "supersedes": "fact:none"}]
    assert {seat.ask("POST", f"{SPACE}/facts", each).status for each in refused} == {409, 400, 422}
    for query in ({"purpose": "treatment"}, {}, {"subject": SUBJECT}, {"text": SAID["statement"]}):
        assert seat.get(f"{SPACE}/facts?{urlencode(query)}").status == 200
    assert seat.get(f"{SPACE}/facts?{urlencode({'as_of': SAID['key']})}").status == 400
    assert seat.get(f"{SPACE}/contradictions?{urlencode({'subject': SUBJECT, 'purpose': 'treatment'})}").status == 200
    assert seat.get(f"{SPACE}/facts/export?purpose=treatment").status == 200


def breaks(up: Instance, seat: Asker) -> None:
    """Two faults that nobody expects, met by requests that carry markers."""
    database = space_database(up)
    with superuser_connection(up.data_dir, database) as connection:
        connection.execute("alter table data_key rename to data_key_gone")
        asked = seat.get(f"{SPACE}/facts?{urlencode({'subject': SUBJECT, 'purpose': 'treatment'})}")
        written = seat.ask("POST", f"{SPACE}/facts", marked_fact("fact:m9") | {"recordedAt": None, "kndl:file": None})
        connection.execute("alter table data_key_gone rename to data_key")
    assert asked.status == 500
    assert written.status in {400, 500}


def space_database(up: Instance) -> str:
    with superuser_connection(up.data_dir, "kndl") as connection:
        row = connection.execute("select id from spaces_space where slug = 'demo'").fetchone()
    assert row
    return f"space_{row[0].hex}"


def dumped(up: Instance, database: str) -> bytes:
    parameters = connection_parameters(up.data_dir, "superuser", database)
    program = programs(None) / "pg_dump"
    words = ["--host", parameters["host"], "--username", parameters["user"], "--inserts", database]
    environ = os.environ | {"PGPASSWORD": parameters["password"]}
    done = subprocess.run([program, *words], env=environ, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_marker_is_in_no_log_no_file_and_no_dump(up: Instance, seat: Asker):
    plant(seat)
    breaks(up, seat)
    with superuser_connection(up.data_dir) as connection:
        connection.execute("checkpoint")

    dumps = {name: dumped(up, name) for name in ("kndl", space_database(up))}
    files = {path: path.read_bytes() for path in up.data_dir.rglob("*") if path.is_file() and not path.is_socket()}
    assert len(files) > 100
    assert any(PLAIN.encode() in content for content in files.values())
    assert PLAIN.encode() in dumps[space_database(up)]

    assert not {name: found for name, dump in dumps.items() if (found := found_in(dump))}
    assert not {str(path): found for path, content in files.items() if (found := found_in(content))}
    assert not found_in(up.out + up.err)
    assert PLAIN not in up.err
    assert "unexpected_error" in up.err


def test_with_the_purpose_it_is_read_and_one_request_after_withdrawal_not(seat: Asker):
    address = f"{SPACE}/facts?purpose=treatment"
    assert found_in(seat.get(address).body)
    assert seat.ask("POST", f"{SPACE}/consents/{CONSENT}/withdraw", {}).status == 200
    assert not found_in(seat.get(address).body)


def test_keys_rotate_beside_it_while_it_reads_and_a_run_that_was_killed_is_taken_up(up: Instance, seat: Asker):
    tokens = [seat, *(another_space(up, f"clinic{number}") for number in range(2))]
    for number, asker in enumerate(tokens):
        space = "demo" if number == 0 else f"clinic{number - 1}"
        keep_patients(asker, space, 150)

    failed: list[Any] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            answer = seat.get(f"{SPACE}/facts?purpose=care&limit=100")
            if answer.status != 200 or answer.json["count"] != 100:
                failed.append((answer.status, answer.body[:200]))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        killed_after_the_first_space(up)
        behind = up.run("rotate_keys", "--status")
        done = up.run("rotate_keys")
        after = up.run("rotate_keys", "--status")
    finally:
        stop.set()
        reader.join()
    assert not failed
    assert "is made" not in done.stdout, "it goes on with the key of the run that was killed"
    assert (behind.returncode, done.returncode) == (0, 0), done.stderr
    assert "behind" in behind.stdout
    assert "behind" not in after.stdout
    assert up.run("audit_verify").returncode == 0


def another_space(up: Instance, slug: str) -> Asker:
    made = up.run("seat_create", "--space", slug, "--create", "--verbs", "all")
    assert made.returncode == 0, made.stderr
    return Asker(up.port, made.stdout.split()[-1])


def keep_patients(asker: Asker, space: str, count: int) -> None:
    """So many facts, each of another patient and so under another key."""
    for number in range(count):
        name, subject = f"consent:p{number}", f"patient:{number}"
        given = {"id": name, "subject": subject, "purposes": ["care"], "granted_by": "human://x"}
        assert asker.ask("POST", f"/api/v1/spaces/{space}/consents", given).status == 201
        fact = {"subject": subject, "classification": "PHI", "consent": name}
        assert asker.write(space, **fact).status == 201


def killed_after_the_first_space(up: Instance) -> None:
    words = [sys.executable, "-u", "manage.py", "rotate_keys"]
    with subprocess.Popen(words, cwd=ROOT, env=up.environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if line.startswith("[1/"):
                process.send_signal(signal.SIGKILL)
                break
        process.wait(60)
    time.sleep(0.2)


def test_a_changed_root_key_is_followed_by_wrapping_the_keys_again(up: Instance, seat: Asker, tmp_path: Path):
    """The running process goes on; the next one starts with the new key, and every chain still verifies."""
    file = up.data_dir / "secrets" / "root-key"
    old = tmp_path / "old-root-key"
    old.write_text(file.read_text())
    file.write_text("a-root-key-of-sixty-four-characters-that-nobody-has-used-before!")

    wrong = up.run("rotate_keys", "--root", str(file))
    assert wrong.returncode == 1
    assert "opens neither" in wrong.stderr
    done = up.run("rotate_keys", "--root", str(old))
    assert done.returncode == 0, done.stderr
    assert "2 key-encryption keys" in done.stdout
    assert "0 key-encryption keys" in up.run("rotate_keys", "--root", str(old)).stdout
    assert seat.get(f"{SPACE}/facts?purpose=care").json["count"] == 50

    up.stop()
    up.start()
    assert seat.get(f"{SPACE}/facts?purpose=care").json["count"] == 50
    assert up.run("audit_verify").returncode == 1
    assert up.run("audit_verify", "--older-root", str(old)).returncode == 0
