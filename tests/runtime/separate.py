"""Kndl in processes of its own: uvicorn, a Celery worker and a beat on Redis, and somebody else's PostgreSQL."""

import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote

import psycopg

from kndl_site.embedded import EmbeddedServer, connection_parameters
from kndl_site.embedded.addresses import Role
from tests.instances import ROOT, START_SECONDS, STOP_SECONDS, Instance, free_port


class Separate(Instance):
    """The same to its users as one `manage.py up`; `with` starts its servers as well."""

    def __init__(self, folder: Path) -> None:
        self._stack = ExitStack()
        self._server = EmbeddedServer(folder / "server", durable=False)
        self._redis_port = free_port()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._logs = folder / "logs"
        self.database_dir = folder / "server"
        super().__init__(folder / "data")

    @property
    def environ(self) -> dict[str, str]:
        addresses = {name: _address(self.database_dir, role) for name, role in _ROLES.items()}
        return super().environ | addresses | {"KNDL_BROKER_URL": f"redis://127.0.0.1:{self._redis_port}/0"}

    @property
    def err(self) -> str:
        """What all its processes have written."""
        return "".join(file.read_text("utf-8", "replace") for file in sorted(self._logs.iterdir()))

    def start(self) -> Self:
        self._logs.mkdir(exist_ok=True)
        self._stack.enter_context(self._server)
        redis = tempfile.mkdtemp(prefix="kndl-redis-")
        self._stack.callback(shutil.rmtree, redis, ignore_errors=True)
        options = ["--port", str(self._redis_port), "--bind", "127.0.0.1", "--dir", redis, "--save", ""]
        self._run("redis", "redis-server", *options)
        self.prepare_server()
        migrated = self.run("migrate")
        if migrated.returncode:
            raise RuntimeError(migrated.stderr)
        python = [sys.executable, "-m"]
        self._run(
            "web", *python, "uvicorn", "kndl_site.asgi:application", "--port", str(self.port), "--lifespan", "off"
        )
        self._run("worker", *python, "celery", "-A", "kndl_site", "worker", "--concurrency", "2", "--loglevel", "info")
        self._run("beat", *python, "celery", "-A", "kndl_site", "beat")
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if time.monotonic() > deadline or any(process.poll() for process in self._processes.values()):
                raise RuntimeError(f"it did not become ready:\n{self.err}")
            time.sleep(0.1)
        return self

    def prepare_server(self) -> None:
        """What docs/operations.md asks of the server's operator."""
        with psycopg.connect(**connection_parameters(self.database_dir, "superuser"), autocommit=True) as one:
            one.execute("create database kndl_template owner kndl_owner")
        parameters = connection_parameters(self.database_dir, "superuser", "kndl_template")
        with psycopg.connect(**parameters, autocommit=True) as connection:
            connection.execute("create extension vector")

    def wake(self) -> None:
        """Have a tick come now."""
        subprocess.run(
            [sys.executable, "-m", "celery", "-A", "kndl_site", "call", "kndl.tick"],
            cwd=ROOT,
            env=self.environ,
            check=True,
            capture_output=True,
        )

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """End all processes; the sum of the exit statuses of ours."""
        status = 0
        for name, process in reversed(self._processes.items()):
            process.send_signal(by)
            ended = process.wait(STOP_SECONDS)
            status += 0 if name in {"redis", "web"} else abs(ended)
        self._processes.clear()
        return status

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._stack:
            try:
                self.stop()
            finally:
                for process in self._processes.values():
                    with suppress(ProcessLookupError):
                        process.kill()

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def _run(self, name: str, *command: str) -> None:
        log: IO[bytes]
        with (self._logs / name).open("wb") as log:
            self._processes[name] = subprocess.Popen(
                command, cwd=ROOT, env=self.environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )


_ROLES: dict[str, Role] = {"KNDL_DATABASE_URL": "app", "KNDL_OWNER_DATABASE_URL": "owner"}


def _address(data_dir: Path, role: Role) -> str:
    """The server's address as an operator writes it."""
    parameters = connection_parameters(data_dir, role)
    host = quote(parameters["host"], safe="")
    login = f"{parameters['user']}:{quote(parameters['password'], safe='')}"
    return f"postgresql://{login}@/{parameters['dbname']}?host={host}&port={parameters['port']}"
