"""Where the embedded server of a data folder is, computed from the folder's path alone.

Any process that knows the data folder finds a running server with this; nothing here starts or asks one.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, TypedDict

from kndl_site.embedded.errors import NeverStarted

Role = Literal["app", "owner", "superuser"]

DATABASE = "kndl"
PORT = 5432  # only a part of the socket's name: the server listens on no TCP address
USERS: dict[Role, str] = {"app": "kndl_app", "owner": "kndl_owner", "superuser": "postgres"}

# The kernel takes 107 bytes on Linux and 103 on macOS.
LONGEST_SOCKET_PATH = 100
# Not tempfile.gettempdir(): processes with another TMPDIR must find the same server, and TMPDIR may be long itself.
# The folder made in it is 0700, and its owner is verified.
SHORT_FOLDER = Path("/tmp")  # noqa: S108  # nosec B108


class ConnectionParameters(TypedDict):
    """Keyword arguments for `psycopg.connect`."""

    host: str
    port: int
    user: str
    password: str
    dbname: str


@dataclass(frozen=True)
class Address:
    """Where the parts of a data folder's server lie. Make it with `Address.of`."""

    data_dir: Path

    @classmethod
    def of(cls, data_dir: Path) -> Self:
        """The address for `data_dir`, which need not exist yet; symbolic links are followed."""
        return cls(data_dir.resolve())

    @property
    def pgdata(self) -> Path:
        return self.data_dir / "postgres"

    @property
    def secrets(self) -> Path:
        return self.data_dir / "secrets"

    @property
    def locks(self) -> Path:
        return self.data_dir / "run-locks"

    @property
    def log(self) -> Path:
        return self.data_dir / "logs" / "postgres.log"

    @property
    def socket(self) -> Path:
        return self.socket_dir / f".s.PGSQL.{PORT}"

    @property
    def socket_dir(self) -> Path:
        """The folder of the server's socket: in the data folder, or under /tmp when its path cannot be a socket's."""
        folder = self.data_dir / "run"
        short_enough = len(os.fsencode(folder / f".s.PGSQL.{PORT}")) <= LONGEST_SOCKET_PATH
        # PostgreSQL's clients take a comma for the end of one host's name.
        if short_enough and "," not in str(folder) and str(folder).isprintable():
            return folder
        return SHORT_FOLDER / f"kndl-{hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:16]}"

    def password_file(self, role: Role) -> Path:
        return self.secrets / f"postgres-{role}"

    def password(self, role: Role) -> str:
        """The role's password. Raises NeverStarted when there is none yet."""
        path = self.password_file(role)
        try:
            return path.read_text("ascii").strip()
        except FileNotFoundError:
            raise NeverStarted(f"The database of {self.data_dir} was never started: {path} is not there.") from None


def connection_parameters(data_dir: Path, role: Role, dbname: str = DATABASE) -> ConnectionParameters:
    """How `role` logs in to `dbname`. Raises NeverStarted when the server of `data_dir` was never started."""
    address = Address.of(data_dir)
    return {
        "host": str(address.socket_dir),
        "port": PORT,
        "user": USERS[role],
        "password": address.password(role),
        "dbname": dbname,
    }
