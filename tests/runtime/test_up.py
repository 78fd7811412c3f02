"""`manage.py up`, as people start, stop, kill and load it."""

import http.client
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kndl_site.embedded import superuser_connection
from kndl_site.embedded.postmaster import running
from tests.instances import ROOT, Instance
from tests.runtime.asking import Asker

JSON_LOG = {"KNDL_LOG_FORMAT": "json", "KNDL_LOG_LEVEL": "info"}
POOL = 8  # KNDL_POOL_SIZE, for each of the two kinds of database


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """A Kndl that runs; tests may do what they like to it, and leave it running."""
    with Instance(tmp_path_factory.mktemp("up") / "data", environ=JSON_LOG) as instance:
        yield instance


@pytest.fixture(scope="module")
def seat(up: Instance) -> Asker:
    """A seat in the Space `demo`."""
    made = up.run("seat_create", "--space", "demo", "--create", "--verbs", "all")
    assert made.returncode == 0, made.stderr
    return Asker(up.port, made.stdout.split()[-1])


def until(holds: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)


def backends(up: Instance) -> set[int]:
    """The application's connections, as the server sees them."""
    with superuser_connection(up.data_dir) as connection:
        rows = connection.execute("select pid from pg_stat_activity where usename = 'kndl_app'").fetchall()
    return {int(row[0]) for row in rows}


def test_a_clean_folder_becomes_a_dashboard_with_a_link_for_its_owner(up: Instance) -> None:
    address, link = up.out.splitlines()
    assert address.endswith(f"is at {up.url}/")
    assert link.startswith("Become its owner here")
    assert up.owner_link
    assert Asker(up.port).get(urlsplit(up.owner_link).path).status == 200
    assert Asker(up.port).get("/readyz").json == {
        "status": "ready",
        "checks": {"database": "ok", "worker": "ok", "disk": "ok"},
        "lost_spaces": [],
    }
    sheet = Asker(up.port).get("/static/kndl/kndl.css")
    assert (sheet.status, sheet.body) == (200, (ROOT / "static" / "kndl" / "kndl.css").read_bytes())
    assert "Warning" not in up.err
    levels = {json.loads(line)["level"] for line in up.err.splitlines() if line.startswith("{")}
    assert levels == {"info"}


def test_each_request_has_an_id_and_one_line_in_the_log_without_anything_it_said(up: Instance, seat: Asker) -> None:
    answer = seat.get("/api/v1/spaces/demo/facts?text=tamarind", X_Request_ID="given-by-the-caller")
    assert answer.headers["X-Request-ID"] == "given-by-the-caller"
    for unusable in ("short", "with spaces in it", "x" * 65):
        assert seat.get("/healthz", X_Request_ID=unusable).headers["X-Request-ID"].startswith("req-")
    assert seat.write("demo", statement="tamarind", object="tamarind", confidence=7).status == 400
    lines = [json.loads(line) for line in up.err.splitlines() if '"given-by-the-caller"' in line]
    (line,) = (line for line in lines if line["event"] == "request")
    assert line["actor"].startswith("seat:")
    assert (line["space"], line["method"], line["status"]) == ("demo", "GET", 200)
    assert line["route"] == "api/v1/spaces/<slug:space>/facts"
    assert "tamarind" not in up.err
    assert seat.token not in up.err


def test_a_route_that_names_no_space_is_logged_with_the_seat_and_the_space_of_its_token(
    up: Instance, seat: Asker
) -> None:
    assert seat.get("/api/v1/seat", X_Request_ID="who-am-i-then").status == 200
    lines = [json.loads(line) for line in up.err.splitlines() if '"who-am-i-then"' in line]
    (line,) = (line for line in lines if line["event"] == "request")
    assert line["actor"].startswith("seat:")
    assert line["space"] == "demo"


def test_a_host_that_is_not_answered_is_logged_with_the_setting_that_is_ours(up: Instance) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=30)
    connection.request("GET", "/accounts/login/", headers={"Host": "evil.example"})
    assert connection.getresponse().status == 400
    connection.close()
    until(lambda: "evil.example" in up.err)
    (line,) = (json.loads(line) for line in up.err.splitlines() if "evil.example" in line)
    assert line["event"].endswith("You may need to add 'evil.example' to KNDL_ALLOWED_HOSTS.")
    assert "exception" not in line


def test_connections_are_few_and_met_again(up: Instance, seat: Asker) -> None:
    met: list[set[int]] = []
    for _ in range(50):
        assert seat.get("/api/v1/spaces/demo/facts").status == 200
        met.append(backends(up))
    assert len(set.intersection(*met)) >= 2, "one to each kind of database lives through all requests"
    assert len(set.union(*met)) <= 8, "and hardly any other is opened"


def test_forty_clients_at_once_are_all_answered(up: Instance, seat: Asker) -> None:
    """Each request holds a connection to the control database and then needs one to the Space's."""
    most = 0

    def client(number: int) -> list[int]:
        statuses = []
        for step in range(3):
            statuses.append(seat.write("demo", subject=f"client:{number}-{step}").status)
            statuses.append(seat.get(f"/api/v1/spaces/demo/facts?subject=client:{number}-{step}").status)
        return statuses

    with ThreadPoolExecutor(40) as threads:
        work = threads.map(client, range(40))
        for _ in range(20):
            most = max(most, len(backends(up)))
            time.sleep(0.05)
        answers = [status for statuses in work for status in statuses]
    assert set(answers) == {200, 201}
    assert most <= 2 * POOL


def test_a_request_right_after_every_connection_was_lost_is_answered(up: Instance, seat: Asker) -> None:
    seat.get("/api/v1/spaces/demo/facts")
    with superuser_connection(up.data_dir) as connection:
        connection.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = 'kndl_app'")
    assert seat.get("/api/v1/spaces/demo/facts").status == 200


def test_while_the_control_database_refuses_pages_and_api_say_503_and_recover(up: Instance, seat: Asker) -> None:
    with superuser_connection(up.data_dir) as connection:
        connection.execute("alter database kndl allow_connections false")
        connection.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = 'kndl'")
        try:
            ready = seat.get("/readyz")
            api = seat.get("/api/v1/spaces/demo/facts")
            page = Asker(up.port).get("/join/some-secret")
        finally:
            connection.execute("alter database kndl allow_connections true")
    assert (ready.status, ready.json["checks"]["database"]) == (503, "out of reach")
    assert (api.status, api.headers["Content-Type"]) == (503, "application/problem+json")
    assert (page.status, page.headers["Content-Type"].split(";")[0]) == (503, "text/html")
    assert "A part of Kndl is out of reach" in page.body.decode()
    for answer in (api, page):
        assert int(answer.headers["Retry-After"]) > 0
    assert seat.get("/api/v1/spaces/demo/facts").status == 200
    assert seat.get("/readyz").status == 200


def test_a_killed_database_is_started_again_and_requests_recover(up: Instance, seat: Asker) -> None:
    assert seat.write("demo", subject="kept:through-the-kill").status == 201
    killed = running(up.data_dir / "postgres")
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    until(lambda: not up.is_ready(), 5)
    assert seat.get("/api/v1/spaces/demo/facts").status in {200, 503}, "it may be back already"
    until(up.is_ready)
    assert "kept:through-the-kill" in seat.subjects("demo")
    assert running(up.data_dir / "postgres") not in {None, killed}
    until(lambda: '"database_started_again"' in up.err)


def test_a_second_one_on_the_same_folder_is_refused(up: Instance) -> None:
    second = up.run("up")
    assert second.returncode == 1
    assert f"Kndl is already running on this folder (process {up.process.pid})." in second.stderr
    assert "Traceback" not in second.stderr
    assert up.is_ready()


def test_a_taken_port_is_said_before_anything_is_made(up: Instance, tmp_path: Path) -> None:
    second = Instance(tmp_path / "data", port=up.port).run("up")
    assert second.returncode == 1
    assert second.stderr.splitlines()[-1].endswith(
        f"KNDL_BIND: 127.0.0.1:{up.port} cannot be used (Address already in use); name another address."
    )
    assert "Traceback" not in second.stderr
    assert not (tmp_path / "data" / "postgres").exists()


def check_owner_link(up: Instance) -> None:
    """A command with settings of another port prints the address of the one that runs, and ends the link before."""
    elsewhere = Instance(up.data_dir)
    assert elsewhere.url != up.url
    printed = elsewhere.run("owner_link")
    link = printed.stdout.strip()
    assert link.startswith(f"{up.url}/join/")
    assert "A link that was printed before no longer works." in printed.stderr
    assert up.owner_link
    asked = [Asker(up.port).get(urlsplit(address).path).status for address in (up.owner_link, link)]
    assert asked == [404, 200]


def test_two_run_side_by_side_and_a_command_works_beside_each(up: Instance, tmp_path: Path) -> None:
    with Instance(tmp_path / "data") as other:
        verified = other.run("audit_verify")
        assert verified.returncode == 0, verified.stderr
        assert verified.stdout.startswith("control: holds, ")
        assert up.is_ready()
        check_owner_link(other)
        assert other.stop(signal.SIGINT) == 0
    assert "Traceback" not in other.err
    assert running(tmp_path / "data" / "postgres") is None
    assert up.is_ready()


def test_what_was_acknowledged_is_there_after_a_kill(up: Instance, seat: Asker) -> None:
    acknowledged: list[str] = []
    writing = threading.Event()

    def writer() -> None:
        for number in range(10_000):
            try:
                if seat.write("demo", subject=f"acknowledged:{number:05}").status == 201:
                    acknowledged.append(f"acknowledged:{number:05}")
            except OSError:
                return
            if number == 20:
                writing.set()

    thread = threading.Thread(target=writer)
    thread.start()
    assert writing.wait(30)
    up.kill()
    thread.join(30)
    up.start()
    assert len(acknowledged) > 20
    assert set(acknowledged) <= set(seat.subjects("demo"))
    assert up.run("audit_verify").returncode == 0


def test_a_clean_stop_stops_the_database_too_and_commands_then_work_alone(up: Instance) -> None:
    assert up.stop(signal.SIGTERM) == 0
    assert "Traceback" not in up.err
    assert running(up.data_dir / "postgres") is None
    assert not (up.data_dir / "run-locks" / "up.origin").exists()
    verified = up.run("audit_verify")
    assert verified.returncode == 0, verified.stderr
    assert running(up.data_dir / "postgres") is None
    up.start()
