"""Keys made on first start, kept outside the database and its backups."""

import os
import secrets
from pathlib import Path

from kndl_site.configuration import Configuration


def kept_key(folder: Path, name: str) -> str:
    """The key in `folder/name`; made there (mode 0600) when it is not there yet.

    Two processes that start at once agree on one key: the file appears whole, and the first one wins.
    """
    path = folder / name
    try:
        return path.read_text("ascii").strip()
    except FileNotFoundError:
        pass
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    made = folder / f".{name}.{secrets.token_hex(8)}"
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(48))
        file.flush()
        os.fsync(file.fileno())
    try:
        path.hardlink_to(made)
    except FileExistsError:
        pass
    finally:
        made.unlink()
    return path.read_text("ascii").strip()


def secret_key(configuration: Configuration) -> str:
    """Django's signing key."""
    return configuration.secret_key or kept_key(configuration.data_dir / "secrets", "secret-key")


def root_key(configuration: Configuration) -> str:
    """The key from which audit and encryption keys are derived."""
    return configuration.root_key or kept_key(configuration.data_dir / "secrets", "root-key")
