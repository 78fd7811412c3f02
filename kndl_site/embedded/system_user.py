"""The system user PostgreSQL's programs run as.

PostgreSQL refuses to run as root. As root they run as a user of their own; as anyone else, as that one.
"""

import logging
import os
import pwd
import stat
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kndl_site.embedded.errors import EmbeddedServerError

logger = logging.getLogger(__name__)

NAME = "kndl-postgres"
# Where no user can be made. `nobody` comes last: other services may run as it, and could reach the database's files.
SUBSTITUTES = ("postgres", "pgserver", "nobody")
SEARCH = 0o1
READ = 0o4


@dataclass(frozen=True)
class SystemUser:
    """Ids of the user that the programs run as and that owns what they write."""

    uid: int
    gid: int

    @property
    def is_us(self) -> bool:
        return self.uid == os.geteuid()

    def run(
        self,
        command: Sequence[str | Path],
        *,
        pgdata: Path,
        output: IO[bytes] | int,
        given: str = "",
        timeout: float,
    ) -> int:
        """Run a program of PostgreSQL to its end and return its exit status; both its outputs go to `output`.

        Raises subprocess.TimeoutExpired after `timeout` seconds.
        """
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC", "PGDATA": str(pgdata)}
        return subprocess.run(
            command,
            check=False,
            cwd="/",  # ours may be closed to that user
            env=environment,
            input=given.encode(),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C at the terminal is for us to act upon
            umask=0o077,
            user=None if self.is_us else self.uid,
            group=None if self.is_us else self.gid,
            extra_groups=None if self.is_us else [],
            timeout=timeout,
        ).returncode

    def own(self, path: Path | int) -> None:
        """Make the user the owner of `path` (a link itself, not what it points to) or of an open file."""
        if self.is_us:
            return
        if isinstance(path, int):
            os.fchown(path, self.uid, self.gid)
        else:
            os.lchown(path, self.uid, self.gid)

    def own_tree(self, folder: Path) -> None:
        """Make the user the owner of `folder` and all in it: a copy made by root is root's."""
        for parent, folders, files in os.walk(folder):
            for name in (*folders, *files):
                self.own(Path(parent, name))
        self.own(folder)

    def let_reach(self, folder: Path) -> None:
        """Let the user pass through `folder` and those above it, by the missing x bits; it cannot list them."""
        if self.is_us:
            return
        for step in (folder, *folder.parents):
            if self._grant(step, SEARCH):
                logger.info("%s may now be passed through (not read) by the user that PostgreSQL runs as", step)

    def let_read(self, tree: Path) -> None:
        """Let the user read all of `tree` and run its programs, by the missing bits (an install under umask 077)."""
        if self.is_us:
            return
        changed = 0
        for parent, folders, files in os.walk(tree):
            folders_here = [Path(parent), *(Path(parent, name) for name in folders)]
            changed += sum(self._grant(folder, READ | SEARCH) for folder in folders_here)
            changed += sum(self._grant(Path(parent, name), READ) for name in files)
        if changed:
            logger.info("%s may now be read by the user that PostgreSQL runs as", tree)

    def _grant(self, path: Path, bits: int) -> bool:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            return False
        if stat.S_ISREG(status.st_mode) and status.st_mode & stat.S_IXUSR:
            bits |= SEARCH
        place = 6 if status.st_uid == self.uid else 3 if status.st_gid == self.gid else 0
        missing = (bits << place) & ~status.st_mode
        if missing:
            path.chmod(stat.S_IMODE(status.st_mode) | missing)
        return bool(missing)


def postgres_user(pgdata: Path) -> SystemUser:
    """Who runs the server of `pgdata`: we ourselves; as root the owner of `pgdata`, or a user made for it.

    Raises EmbeddedServerError when the folder is someone else's, or when root finds no user to run it as.
    """
    owner = pgdata.stat() if pgdata.exists() else None
    if os.geteuid():
        if owner and owner.st_uid != os.geteuid():
            raise EmbeddedServerError(f"{pgdata} belongs to another user (id {owner.st_uid}): run Kndl as that user.")
        return SystemUser(os.geteuid(), os.getegid())
    if owner and owner.st_uid:
        return SystemUser(owner.st_uid, owner.st_gid)
    entry = _entry(NAME) or _made(NAME)
    for name in SUBSTITUTES:
        entry = entry or _entry(name)
    if entry is None:
        raise EmbeddedServerError(f"PostgreSQL does not run as root: make a system user {NAME}, or be another.")
    if entry.pw_name != NAME:
        logger.warning("The user %s could not be made; PostgreSQL runs as %s", NAME, entry.pw_name)
    return SystemUser(entry.pw_uid, entry.pw_gid)


def _entry(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _made(name: str) -> pwd.struct_passwd | None:
    options = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/bin/false"]
    with suppress(FileNotFoundError):
        for _ in range(10):
            done = subprocess.run(["useradd", *options, name], check=False, capture_output=True)
            if entry := _entry(name):
                return entry
            if done.returncode != 1:  # 1: another process is changing the list of users
                break
            time.sleep(0.2)
    return None
