"""A whole Kndl as its users start it: `manage.py up` in a process, on a port and in a folder of its own."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 90
STOP_SECONDS = 40
_JOIN = re.compile(r"https?://\S+/join/\S+")


def free_port() -> int:
    """A port of the loopback interface that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Instance:
    """One `manage.py up`, from `start` to `stop`; a `with` block does both.

    `environ` adds to, or with None takes from, what the process is given: the caller's environment without its
    `KNDL_…`. The same `data_dir` may be started again after it was stopped or killed.
    """

    def __init__(
        self,
        data_dir: Path,
        *words: str,
        environ: Mapping[str, str | None] | None = None,
        port: int | None = None,
    ) -> None:
        self.data_dir = data_dir
        self.words = words
        self.port = port or free_port()
        self._given = dict(environ or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._out = self._err = Path()

    @property
    def url(self) -> str:
        """Where it is, without a slash at the end; `localhost`, since cookies and passkeys belong to a name."""
        return f"http://localhost:{self.port}"

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The running process. Raises RuntimeError before `start`."""
        if self._process is None:
            raise RuntimeError("not started")
        return self._process

    @property
    def out(self) -> str:
        """What it has written to standard output since it was started."""
        return self._out.read_text("utf-8", "replace")

    @property
    def err(self) -> str:
        """What it has written to standard error, its log, since it was started."""
        return self._err.read_text("utf-8", "replace")

    @property
    def owner_link(self) -> str | None:
        """The one-time link of the first owner that this start printed; None when there is an owner."""
        found = _JOIN.search(self.out)
        return found[0] if found else None

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the process; commands on the same data folder take it as well."""
        own = {name: value for name, value in os.environ.items() if not name.startswith("KNDL_")}
        own.pop("DJANGO_SETTINGS_MODULE", None)
        own |= {"KNDL_DATA_DIR": str(self.data_dir), "KNDL_BIND": f"127.0.0.1:{self.port}", "PYTHONUNBUFFERED": "1"}
        own |= {name: value for name, value in self._given.items() if value is not None}
        return {name: value for name, value in own.items() if self._given.get(name, "") is not None}

    def start(self) -> Self:
        """Start it and wait until it is ready. Raises RuntimeError, with its log, when it ends or takes too long."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        logs = Path(tempfile.mkdtemp(prefix="kndl-up-"))
        self._out, self._err = logs / "out", logs / "err"
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self._process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *self.words],
                cwd=ROOT,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"manage.py up did not become ready:\n{self.out}\n{self.err}")
            time.sleep(0.1)
        return self

    def is_ready(self) -> bool:
        """Whether /readyz answers 200 now."""
        try:
            return self.get("/readyz") == 200
        except OSError:
            return False

    def get(self, path: str) -> int:
        """The status of a GET without any cookie."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path, headers={"Host": urlsplit(self.url).netloc})
            return connection.getresponse().status
        finally:
            connection.close()

    def run(self, *words: str, input: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run another `manage.py` command on the same data folder."""
        return subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.environ,
            input=input,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end, wait until it has, and return its exit status. Raises TimeoutExpired when it does not."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        return self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """End it without asking, as a power cut does; its database's processes end by themselves or are found dead."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(STOP_SECONDS)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()
            raise
