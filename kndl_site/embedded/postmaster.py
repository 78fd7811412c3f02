"""Whether a data folder's server runs, asked of its process and of its socket."""

import os
import subprocess
from pathlib import Path

from psycopg import pq
from psycopg.conninfo import make_conninfo

from kndl_site.embedded.addresses import PORT, USERS, Address


def answer(address: Address) -> pq.Ping:
    """What the server's socket answers: OK, REJECT (it starts or stops) or NO_RESPONSE. Needs no password."""
    user = USERS["superuser"]
    conninfo = make_conninfo(host=str(address.socket_dir), port=PORT, user=user, dbname="postgres", connect_timeout=2)
    return pq.Ping(pq.PGconn.ping(conninfo.encode()))


def running(pgdata: Path) -> int | None:
    """The process id of the server of `pgdata`, or None when none runs."""
    pid = _recorded(pgdata)
    return pid if pid is not None and _serves(pid, pgdata) else None


def is_running(data_dir: Path) -> bool:
    """Whether the server of `data_dir` has a process; it may be starting or stopping."""
    return running(Address.of(data_dir).pgdata) is not None


def forget_a_stranger(pgdata: Path) -> None:
    """Remove `postmaster.pid` when its number now belongs to a process that is not the server.

    PostgreSQL would take that process for a server and refuse to start. Where the number is nobody's, the file
    stays: with it PostgreSQL makes sure that no process of the former server is left.
    """
    pid = _recorded(pgdata)
    if pid is not None and _exists(pid) and not _serves(pid, pgdata):
        (pgdata / "postmaster.pid").unlink(missing_ok=True)


def _recorded(pgdata: Path) -> int | None:
    try:
        first = (pgdata / "postmaster.pid").read_text().partition("\n")[0]
        return abs(int(first)) or None  # negative while PostgreSQL runs in single-user mode
    except (FileNotFoundError, ValueError):
        return None


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _serves(pid: int, pgdata: Path) -> bool:
    """Whether `pid` is a PostgreSQL at work in `pgdata`; in doubt it is."""
    if not _exists(pid):
        return False
    if not Path("/proc/self").exists():  # macOS
        command = ["ps", "-o", "comm=", "-p", str(pid)]
        return "postgres" in subprocess.run(command, check=False, capture_output=True, text=True).stdout
    process = Path(f"/proc/{pid}")
    try:
        facts = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
        if facts["Name"] != "postgres" or facts["State"].startswith("Z"):
            return False
        return (process / "cwd").samefile(pgdata)
    except FileNotFoundError:  # it has just ended
        return False
    except PermissionError:  # a container may hide this of another user's process, even from root
        return True
