"""Keeping KEYS.md out of git, where a domain's directory lies in a work tree.

Git is run on a repository that members write to, so nothing of its configuration, hooks or filters is let run.
"""

import hashlib
import os
import shutil
import stat
import subprocess
import uuid
from contextlib import suppress
from pathlib import Path

from audit.recording import SYSTEM, audited
from common.folders.walking import opened_folder
from common.times import now
from domains import evidence
from domains.models import Domain, Evidence, GitState
from domains.places import KEYS, folder_of
from domains.repositories import Repository, repository_of

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
_PATHS = f":(icase,glob)**/{KEYS}"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LONGEST_HOOK = 64 * 1024  # bytes that are read to find our mark
_searched: dict[uuid.UUID, tuple[str, bool | None]] = {}
"""By domain: what its branches were when the history was searched last, and what was found."""


class GitFailed(Exception):
    """Git could not say."""


def check(domain: Domain) -> GitState:
    """Look whether git has KEYS.md, let a hook stand that keeps it out, and note what was found.

    A file that git has since the last look is reported as evidence.
    """
    state, said = _looked(domain, folder_of(domain))
    before = GitState.objects.filter(domain=domain).first()
    if before is None or (before.state, before.said) != (state, said):
        with audited("default") as act:
            if state in {State.TRACKED, State.HISTORY}:
                evidence.keep(act, domain, Evidence.Kind.GIT, KEYS, said)
            act.record(SYSTEM, "domain.git", f"domain:{domain.slug}", state=state.value)
            GitState.objects.update_or_create(
                domain=domain, defaults={"state": state, "said": said, "checked_at": now()}
            )
    else:
        GitState.objects.filter(domain=domain).update(checked_at=now())
    return GitState.objects.get(domain=domain)


def _looked(domain: Domain, folder: Path) -> tuple[State, str]:
    repository = repository_of(folder)
    if repository is None:
        return State.NONE, ""
    if shutil.which("git") is None:
        return State.UNKNOWN, "The folder lies in a git work tree, and git is not installed: nobody could look."
    try:
        known = _run(repository, folder, "ls-files", "--cached", "--", _PATHS)
        past = _past(domain, repository, folder)
        why = _why_not_hooked(repository, folder)
    except (GitFailed, OSError, subprocess.TimeoutExpired) as error:
        return State.UNKNOWN, f"Git could not say: {type(error).__name__}."
    if known:
        return State.TRACKED, f"{KEYS} is tracked or staged in git. Take it out: git rm --cached {KEYS}"
    if past is None:
        return State.UNKNOWN, f"The history could not be searched for {KEYS}: it is too long, or parts are missing."
    if past:
        return State.HISTORY, f"{KEYS} is in the history of git: change the keys, and rewrite the history."
    return (State.UNGUARDED, f"Hook not installed: {why}.") if why else (State.KEPT_OUT, "")


def _past(domain: Domain, repository: Repository, folder: Path) -> bool | None:
    """Whether a commit of any branch has the file; None where that can't be found out in time.

    It is asked again when a branch has changed. `rev-list` reads no configuration that names programs, `log` does.
    """
    refs = _run(repository, folder, "for-each-ref", "--format=%(objectname) %(refname)")
    with suppress(GitFailed):  # a branch without a commit
        refs += _run(repository, folder, "rev-parse", "--verify", "--quiet", "HEAD")
    mark = hashlib.sha256(f"{repository.git}\0{refs}".encode("utf-8", "surrogateescape")).hexdigest()
    before = _searched.get(domain.pk)
    if before is not None and before[0] == mark:
        return before[1]
    try:
        commits = _run(repository, folder, "rev-list", "--all", "--full-history", "--max-count=1", "--", _PATHS)
        found: bool | None = bool(commits)
    except (GitFailed, subprocess.TimeoutExpired):
        found = None
    _searched[domain.pk] = (mark, found)
    return found


def _why_not_hooked(repository: Repository, folder: Path) -> str:
    """Let a hook of ours stand; "" where one does, else why none was written, to follow a colon."""
    if repository.own is None:
        return repository.why
    named = _hooks_path(repository, folder)
    hooks = Path(os.path.normpath(repository.top / named)) if named else repository.own / "hooks"
    if not any(hooks.is_relative_to(root) for root in (repository.own, repository.top)):
        return f"its hooks lie outside of the repository. Let its pre-commit hook refuse {KEYS}"
    try:
        if _written(hooks, make=repository.may_make_hooks and hooks == repository.own / "hooks"):
            return ""
    except OSError:
        return "its folder for hooks is not there, is a link, or can’t be written to"
    return f"another pre-commit hook stands there. Let it refuse {KEYS} as well"


def _hooks_path(repository: Repository, folder: Path) -> str:
    """Where the repository says that its hooks lie, as it stands below the top of the work tree; "" by default."""
    try:
        return _run(repository, folder, "config", "--type=path", "--get", "core.hooksPath")
    except GitFailed:
        return ""


def _written(hooks: Path, *, make: bool) -> bool:
    """Whether our hook stands in the folder, made where there is none. No link is followed anywhere on the way."""
    folder = _opened(hooks, make=make)
    try:
        try:
            opened = os.open("pre-commit", _NEW, 0o755, dir_fd=folder)
        except FileExistsError:
            return _is_ours(folder)
    finally:
        os.close(folder)
    with os.fdopen(opened, "wb") as file:
        file.write(HOOK.encode())
        os.fchmod(file.fileno(), 0o755)
    return True


def _opened(hooks: Path, *, make: bool) -> int:
    root = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if make:
            above = opened_folder(root, hooks.parent.as_posix())
            try:
                with suppress(FileExistsError):
                    os.mkdir(hooks.name, 0o755, dir_fd=above)
            finally:
                os.close(above)
        return opened_folder(root, hooks.as_posix())
    finally:
        os.close(root)


def _is_ours(folder: int) -> bool:
    opened = os.open("pre-commit", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(opened, "rb") as file:
        return stat.S_ISREG(os.fstat(opened).st_mode) and _MARK.encode() in file.read(_LONGEST_HOOK)


def _run(repository: Repository, folder: Path, *words: str) -> str:
    """What git answers of a repository, whatever that says of its work tree. Raises GitFailed."""
    done = subprocess.run(
        ["git", *_SAFE, f"--git-dir={repository.git}", f"--work-tree={repository.top}", *words],
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
        # A repository may let itself fetch what it lacks, by a program that it names.
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
    }
