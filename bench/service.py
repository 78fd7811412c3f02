"""A Kndl as its users start it, with a Space to fill; and this process inside that Space beside it."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
SPACE = "bench"
START_SECONDS = 120
STOP_SECONDS = 60
# A connection that was idle for longer is opened anew; the server closes it after 75.
MOST_IDLE_SECONDS = 30


class Service:
    """REST of one Space, over one connection that stays open."""

    def __init__(self, port: int, token: str) -> None:
        self.token = token
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        self._headers = {"Host": f"localhost:{port}", "Authorization": f"Bearer {token}"}
        self._used_at = time.monotonic()

    def get(self, route: str, **params: str | int) -> Any:
        """The answer to a GET. Raises RuntimeError for a refusal."""
        return self._ask("GET", f"{route}?{urlencode(params)}", None, {})

    def send(self, route: str, lines: bytes) -> Any:
        """The answer to JSON Lines. Raises RuntimeError for a refusal."""
        return self._ask("POST", route, lines, {"Content-Type": "application/x-ndjson"})

    def post(self, route: str, document: Any, token: str) -> Any:
        """The answer to a JSON document that the seat with this token sends. Raises RuntimeError for a refusal."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        return self._ask("POST", route, json.dumps(document).encode(), headers)

    def _ask(self, method: str, route: str, body: bytes | None, headers: dict[str, str]) -> Any:
        if time.monotonic() - self._used_at > MOST_IDLE_SECONDS:
            self._connection.close()
        self._connection.request(method, f"/api/v1/spaces/{SPACE}/{route}", body, {**self._headers, **headers})
        answer = self._connection.getresponse()
        text = answer.read()
        self._used_at = time.monotonic()
        if answer.status not in (200, 201):
            raise RuntimeError(f"{method} {route}: {answer.status} {text[:300]!r}")
        return json.loads(text)


@contextmanager
def running(data_dir: Path) -> Iterator[Service]:
    """`manage.py up` on this data folder for the time of the block, durable and with its own settings."""
    port = _free_port()
    environ = {name: value for name, value in os.environ.items() if not name.startswith("KNDL_")}
    environ |= {"KNDL_DATA_DIR": str(data_dir), "KNDL_BIND": f"127.0.0.1:{port}"}
    # This process works on the same folder.
    os.environ.update(environ, DJANGO_SETTINGS_MODULE="kndl_site.settings")
    with (data_dir / "up.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up"], cwd=ROOT, env=environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        _wait(process, port, data_dir / "up.log")
        yield Service(port, _token(environ))
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_SECONDS)


def _wait(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/readyz", headers={"Host": f"localhost:{port}"})
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.1)
    raise RuntimeError(f"manage.py up did not become ready:\n{log.read_text()[-2_000:]}")


def _token(environ: dict[str, str]) -> str:
    command = [sys.executable, "manage.py", "seat_create", "--space", SPACE, "--create", "--verbs", "all"]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
