"""Makes `.venv`, installs the named locks into it and writes the `kndl` launcher. Run by `make setup`.

Standard library only. The syntax stays old on purpose: an old Python must get as far as being told that it is too old.
"""

import fcntl
import hashlib
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROBE = "import sys, pip; print('%d.%d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 11))"


def main() -> None:
    """Install the locks named on the command line; quick when nothing changed since the last time."""
    with Path(__file__).open() as held:
        # A second `make` waits here and then finds the work done. pip inherits the lock: were this process killed, pip
        # would go on, and nobody may start afresh under it.
        os.set_inheritable(held.fileno(), True)
        fcntl.flock(held, fcntl.LOCK_EX)
        install(ROOT / ".venv", *sys.argv[1:])
        write_launcher(ROOT)


def install(venv: Path, *locks: str) -> None:
    """Bring `venv` to what the lock files say.

    The file `.venv.unfinished` lies beside it from the first change to the last. pip takes a half-copied package for an
    installed one, so whoever finds that file starts afresh.
    """
    unfinished = venv.with_name(venv.name + ".unfinished")
    version = "" if unfinished.exists() else version_of(venv)
    if not version:
        refuse_old_python(sys.executable, *sys.version_info[:2])
        unfinished.touch()
        # The base interpreter: `python3` may be the very environment that is being replaced.
        base = getattr(sys, "_base_executable", sys.executable)
        run("Making .venv", base, "-m", "venv", "--clear", str(venv))
        version = version_of(venv)
    for name in locks:
        lock = ROOT / name
        stamp = venv / (lock.name + ".sha256")
        digest = hashlib.sha256(version.encode() + lock.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == digest:
            continue
        unfinished.touch()
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        run(f"Installing {name} into .venv", *pip, "--require-hashes", "-r", str(lock))
        stamp.write_text(digest)
    if unfinished.exists():
        unfinished.unlink()


def version_of(venv: Path) -> str:
    """Return the "3.11" of a working environment with pip, and "" for a missing, broken or too old one."""
    try:
        answer = subprocess.check_output([str(venv / "bin" / "python"), "-c", PROBE], stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return answer.decode().strip()


def refuse_old_python(executable: str, major: int, minor: int) -> None:
    """End with a message that says what to do when the Python is older than 3.11."""
    if (major, minor) < (3, 11):
        sys.exit(
            f"Kndl needs Python 3.11 or newer, and {executable} is {major}.{minor}. "
            "Name another: make setup PYTHON=python3.12"
        )


def run(what: str, *command: str) -> None:
    """Run a command after saying what it is for; end with its status when it fails."""
    print(what, flush=True)
    status = subprocess.call(command, close_fds=False)
    if status:
        sys.exit(f"{what} failed (status {status}); the reason stands above. `make setup` starts it again.")


def write_launcher(root: Path) -> None:
    """Put `kndl` into the environment: it runs the command of this checkout, wherever the checkout lies."""
    python = shlex.quote(str(root / ".venv" / "bin" / "python"))
    command = shlex.quote(str(root / "seats" / "kndl" / "kndl.py"))
    text = f'#!/bin/sh\nexec {python} {command} "$@"\n'
    launcher = root / ".venv" / "bin" / "kndl"
    if launcher.exists() and launcher.read_text() == text:
        return
    draft = launcher.with_name(".kndl.new")
    draft.write_text(text)
    draft.chmod(0o755)
    draft.replace(launcher)


if __name__ == "__main__":
    main()
