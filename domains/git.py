"""Keeping KEYS.md out of git, where a domain's directory lies in a work tree.

Git is run on a repository that members write to, so nothing of its configuration, hooks or filters is let run.
"""

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from audit.recording import SYSTEM, audited
from common.folders.walking import opened_folder
from common.times import now
from domains import evidence
from domains.models import Domain, Evidence, GitState
from domains.places import KEYS, folder_of

State = GitState.State
SECONDS = 20
_MARK = "# Kndl: KEYS.md is never committed."
HOOK = f"""#!/bin/sh
{_MARK}
if git diff --cached --name-only --no-ext-diff --no-renames --diff-filter=d -z | tr '\\0' '\\n' |
  grep -Eiq '(^|/)KEYS\\.md$'
then
  echo "KEYS.md holds credentials and is never committed. Take it out: git rm --cached KEYS.md" >&2
  exit 1
fi
"""
_SAFE = (
    "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false",
    "-c", "core.pager=cat", "-c", "core.alternateRefsCommand=", "-c", "protocol.allow=never",
)  # fmt: skip
_NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


class GitFailed(Exception):
    """Git could not say."""


def check(domain: Domain) -> GitState:
    """Look whether git has KEYS.md, let a hook stand that keeps it out, and note what was found.

    A file that git has since the last look is reported as evidence.
    """
    state, said = _looked(folder_of(domain))
    before = GitState.objects.filter(domain=domain).first()
    if before is None or (before.state, before.said) != (state, said):
        with audited("default") as act:
            if state == State.TRACKED:
                evidence.keep(act, domain, Evidence.Kind.GIT, KEYS, said)
            act.record(SYSTEM, "domain.git", f"domain:{domain.slug}", state=state.value)
            GitState.objects.update_or_create(
                domain=domain, defaults={"state": state, "said": said, "checked_at": now()}
            )
    else:
        GitState.objects.filter(domain=domain).update(checked_at=now())
    return GitState.objects.get(domain=domain)


def _looked(folder: Path) -> tuple[State, str]:
    if not any((place / ".git").exists() for place in (folder, *folder.resolve().parents)):
        return State.NONE, ""
    if shutil.which("git") is None:
        return State.UNKNOWN, "The folder lies in a git work tree, and git is not installed: nobody could look."
    try:
        if _run(folder, *_NO_HOOKS, "rev-parse", "--is-inside-work-tree") != "true":
            return State.NONE, ""
        hooked, why = _hooked(folder)
        known = _run(folder, *_NO_HOOKS, "ls-files", "--cached", "--", f":(icase){KEYS}")
    except (GitFailed, OSError, subprocess.TimeoutExpired) as error:
        return State.UNKNOWN, f"Git could not say: {type(error).__name__}."
    if known:
        return State.TRACKED, f"{KEYS} is tracked or staged in git. Take it out: git rm --cached {KEYS}"
    return (State.KEPT_OUT, "") if hooked else (State.UNGUARDED, why)


def _hooked(folder: Path) -> tuple[bool, str]:
    """Whether a hook of ours stands, made where there is none; and why not."""
    common = Path(os.path.realpath(folder / _run(folder, *_NO_HOOKS, "rev-parse", "--git-common-dir")))
    top = Path(os.path.realpath(_run(folder, *_NO_HOOKS, "rev-parse", "--show-toplevel")))
    named = _hooks_path(folder)
    hooks = Path(os.path.realpath(top / named if named else common / "hooks"))
    within = next((root for root in (common, top) if hooks.is_relative_to(root)), None)
    if within is None:
        return False, f"Its hooks lie outside of the repository. Let its pre-commit hook refuse {KEYS}."
    if _written(within, hooks.relative_to(within).as_posix()):
        return True, ""
    with suppress(OSError):
        if _MARK in (hooks / "pre-commit").read_text("utf-8", "replace"):
            return True, ""
    return False, f"Another pre-commit hook stands there. Let it refuse {KEYS} as well."


def _hooks_path(folder: Path) -> str:
    """Where the repository says that its hooks lie, as it stands below the top of the work tree; "" by default."""
    try:
        return _run(folder, "config", "--type=path", "--get", "core.hooksPath")
    except GitFailed:
        return ""


def _written(root: Path, hooks: str) -> bool:
    """Make the hook in a folder below `root`; False where one stands already. No link is followed on the way."""
    top = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(FileExistsError):
            os.mkdir(hooks, 0o755, dir_fd=top)
        folder = opened_folder(top, "" if hooks == "." else hooks)
    finally:
        os.close(top)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        opened = os.open("pre-commit", flags, 0o755, dir_fd=folder)
    except FileExistsError:
        return False
    finally:
        os.close(folder)
    with os.fdopen(opened, "wb") as file:
        file.write(HOOK.encode())
        os.fchmod(file.fileno(), 0o755)
    return True


def _run(folder: Path, *words: str) -> str:
    """What git answers. Raises GitFailed."""
    done = subprocess.run(
        ["git", *_SAFE, *words],
        cwd=folder,
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise GitFailed
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def _environment() -> dict[str, str]:
    """Nothing of the caller's but where programs are."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.devnull,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
