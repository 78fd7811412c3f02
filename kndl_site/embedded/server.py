"""The server of a data folder, shared by all processes that use it at a time."""

import logging
import os
import stat
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from psycopg import pq

from kndl_site.embedded import postmaster, roles
from kndl_site.embedded.addresses import Address
from kndl_site.embedded.cluster import Cluster
from kndl_site.embedded.errors import EmbeddedServerError
from kndl_site.embedded.locks import Users, exclusive
from kndl_site.embedded.system_user import SystemUser, postgres_user
from kndl_site.embedded.tuning import memory, server_settings
from kndl_site.secrets import kept_key

logger = logging.getLogger(__name__)

START_TIMEOUT = 60  # seconds, crash recovery included


class EmbeddedServer:
    """One use of the server of `data_dir`: the first starts it, the last stops it, those between share it.

    A process that is killed leaves the server running; the next use takes it over. `settings` are added to
    PostgreSQL's own when this use starts it. Not `durable` is for tests: a killed server may lose what was committed.
    """

    def __init__(self, data_dir: Path, *, durable: bool = True, settings: Mapping[str, str] | None = None) -> None:
        self.address = Address.of(data_dir)
        self._durable = durable
        self._settings = dict(settings or {})
        self._users: Users | None = None

    def acquire(self) -> Self:
        """Make the server if need be, start it unless it runs, and wait until it accepts connections.

        Raises EmbeddedServerError when that does not succeed within a minute.
        """
        if self._users is not None:
            raise RuntimeError("this use of the server has begun already")
        self._check_data_dir()
        with self._starts_and_stops_held_off():
            cluster = Cluster(self.address, postgres_user(self.address.pgdata))
            self._users = Users(self.address.locks / "users.lock")
            try:
                self._bring_up(cluster)
            except BaseException:
                with suppress(EmbeddedServerError):
                    self._leave(cluster)
                raise
        return self

    def release(self) -> None:
        """End this use; when it is the last one, stop the server. Raises EmbeddedServerError if it does not stop."""
        if self._users is None:
            return
        with self._starts_and_stops_held_off():
            self._leave(Cluster(self.address, postgres_user(self.address.pgdata)))

    def __enter__(self) -> Self:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def _check_data_dir(self) -> None:
        data_dir = self.address.data_dir
        try:
            data_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EmbeddedServerError(f"{data_dir} cannot be made: {error}") from error
        if not os.access(data_dir, os.R_OK | os.W_OK | os.X_OK):
            raise EmbeddedServerError(f"{data_dir} cannot be written: run Kndl as the user it belongs to.")

    def _starts_and_stops_held_off(self) -> AbstractContextManager[None]:
        return exclusive(self.address.locks / "server.lock")

    def _leave(self, cluster: Cluster) -> None:
        users, self._users = self._users, None
        if users is None:
            return
        try:
            if users.alone():
                cluster.stop()
        finally:
            users.leave()

    def _bring_up(self, cluster: Cluster) -> None:
        secret = self.address.password_file("superuser")
        lost = cluster.exists and not secret.exists()
        if lost and (pid := postmaster.running(self.address.pgdata)):
            raise EmbeddedServerError(f"{secret} is missing while its server runs (process {pid}): stop that first.")
        password = kept_key(secret.parent, secret.name)
        if not cluster.exists:
            cluster.create(password, durable=self._durable)
        elif lost:
            cluster.reset_superuser_password(password)
        prepare_socket_dir(self.address.socket_dir, cluster.user)
        if self._ensure_running(cluster) or not roles.application_can_connect(self.address):
            roles.prepare(self.address)

    def _ensure_running(self, cluster: Cluster) -> bool:
        """Returns whether it had to be started."""
        deadline = time.monotonic() + START_TIMEOUT
        while (left := deadline - time.monotonic()) > 0:
            answer = postmaster.answer(self.address)
            if answer == pq.Ping.OK:
                return False
            if postmaster.running(self.address.pgdata) and not self.address.socket.exists():
                logger.info("The server's folder was moved while it ran: it is started again")
                cluster.stop()
            if answer != pq.Ping.REJECT and postmaster.running(self.address.pgdata) is None:
                settings = server_settings(self.address.socket_dir, memory=memory(), durable=self._durable)
                if cluster.start(settings | self._settings, timeout=left):
                    return True
            time.sleep(0.1)
        raise EmbeddedServerError(
            f"The server of {self.address.data_dir} did not accept connections within {START_TIMEOUT} seconds; "
            f"see {self.address.log}"
        )


def prepare_socket_dir(folder: Path, user: SystemUser) -> None:
    """Make the socket's folder, the user's alone. Raises EmbeddedServerError when someone else's stands there."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid not in {user.uid, os.geteuid()}:
        raise EmbeddedServerError(f"{folder} is not a folder of ours: remove it, or keep the data in another folder.")
    folder.chmod(0o700)
    user.own(folder)
