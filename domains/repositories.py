"""Which git repository holds a folder on the disk, and whether a hook may be written into it.

Members write `.git` and its configuration, so only what lies on the disk counts: the way up through real directories.
Reading is harmless wherever a repository points to; writing is not.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

_LONGEST = 4_096  # bytes of a file that names a folder
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True)
class Repository:
    """`top` is the top of the work tree, `git` what git reads; `own` is the repository's real folder.

    Hooks may be written below `own` alone, or below `top`; where `own` is None nothing is written, and `why` says it.
    """

    top: Path
    git: Path
    own: Path | None
    why: str = ""

    @property
    def may_make_hooks(self) -> bool:
        """Whether a missing folder for hooks may be made: in a real `.git`, nowhere else."""
        return self.own is not None and self.own.name == ".git"


def repository_of(folder: Path) -> Repository | None:
    """The repository whose work tree has `folder`; None where there is none."""
    real = Path(os.path.realpath(folder.parent)) / folder.name
    for place in (real, *real.parents):
        found = _at(place)
        if found is not None:
            return found
    return None


def _at(place: Path) -> Repository | None:
    git = place / ".git"
    try:
        mode = git.lstat().st_mode
    except OSError:
        return None
    if stat.S_ISDIR(mode):
        if not _looks_like_one(git):
            return None
        if os.path.lexists(git / "commondir"):
            return Repository(place, git, None, "its .git names another repository")
        return Repository(place, git, git)
    if stat.S_ISREG(mode):
        return _named_by(place, git)
    return Repository(place, Path(os.path.realpath(git)), None, "its .git is a link, or no folder")


def _named_by(place: Path, file: Path) -> Repository:
    """The repository that a `.git` file names: a linked work tree or a submodule that says so itself, or no own one."""
    said = _content(file)
    if not said.startswith("gitdir:"):
        return Repository(place, file, None, "its .git file names no repository")
    named = Path(os.path.normpath(place / said.removeprefix("gitdir:").strip()))
    git = Path(os.path.realpath(named))
    parent = next((above for above in git.parents if above.name == ".git"), None)
    if git != named or parent is None or not _looks_like_one(parent) or not _same_owner(git, parent):
        return Repository(place, git, None, "its .git file leads to a folder that is in no real repository")
    if git.parent == parent / "worktrees":
        back, common = _content(git / "gitdir"), _content(git / "commondir")
        if Path(os.path.realpath(git / back)) == file and Path(os.path.realpath(git / common)) == parent:
            return Repository(place, git, parent)
    elif git.is_relative_to(parent / "modules") and place.is_relative_to(parent.parent):
        # The name of a submodule is its way in the work tree, unless it was moved since.
        is_its_own = git.relative_to(parent / "modules") == place.relative_to(parent.parent)
        if is_its_own and _looks_like_one(git) and not os.path.lexists(git / "commondir"):
            return Repository(place, git, git)
    return Repository(place, git, None, "the repository that its .git file names does not know this folder")


def _looks_like_one(git: Path) -> bool:
    """Whether git would take the folder for a repository, links left out of account."""
    try:
        folders = all(stat.S_ISDIR((git / name).lstat().st_mode) for name in ("objects", "refs"))
    except OSError:
        return False
    return folders and not git.is_symlink() and os.path.lexists(git / "HEAD")


def _same_owner(folder: Path, parent: Path) -> bool:
    try:
        seen = folder.lstat()
        return stat.S_ISDIR(seen.st_mode) and seen.st_uid == parent.lstat().st_uid
    except OSError:
        return False


def _content(file: Path) -> str:
    """The text of a small file; "" where there is none, or a link or something else in its place."""
    try:
        opened = os.open(file, _READ)
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            return ""
        return os.fsdecode(os.read(opened, _LONGEST)).strip()
    finally:
        os.close(opened)
