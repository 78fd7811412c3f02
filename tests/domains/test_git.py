"""KEYS.md and a real git."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from domains import git
from domains.models import Evidence, GitState
from domains.ticking import tick
from tests.domains.together import KEYS, Together

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Git as somebody at a seat runs it."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    given = ["-c", "user.name=A", "-c", "user.email=a@example.test", "-c", "safe.directory=*"]
    environ = own | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(
        ["git", *given, *words], cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=30
    )


def look(together: Together) -> str:
    return str(git.check(together.domain).state)


def committed(folder: Path) -> list[str]:
    return run(folder, "log", "--all", "--name-only", "--format=").stdout.split()


def test_outside_of_a_work_tree_git_is_not_asked(together: Together, monkeypatch):
    monkeypatch.setenv("PATH", "")
    if any((parent / ".git").exists() for parent in together.folder.parents):
        pytest.skip("the folder of the tests lies in a work tree")
    assert look(together) == "none"


def test_a_forced_commit_is_refused_by_the_hook_and_reported_at_the_next_tick(together: Together):
    """BI-095."""
    together.write(KEYS, "PAYER=first value\n")
    run(together.folder, "init", "-q")
    tick()
    assert GitState.objects.get().state == "kept_out"
    assert run(together.folder, "add", "-A").returncode == 0
    assert run(together.folder, "commit", "-q", "-m", "all that is not ignored").returncode == 0
    assert KEYS not in committed(together.folder)
    assert run(together.folder, "add", "-f", KEYS).returncode == 0
    refused = run(together.folder, "commit", "-q", "-m", "keys")
    assert (refused.returncode, "never committed" in refused.stderr) == (1, True)
    assert KEYS not in committed(together.folder)
    tick()
    state = GitState.objects.get()
    assert (state.state, "git rm --cached" in state.said) == ("tracked", True)
    assert [one.kind for one in Evidence.objects.all()] == ["git"]
    answer = together.browser("owner").put("shared/keys/MORE", {"value": "x"})
    assert (answer.status_code, answer.json()["code"]) == (409, "keys_in_git")
    assert together.browser("owner").get("shared").json()["git"] == "tracked"
    tick()
    assert Evidence.objects.count() == 1
    run(together.folder, "rm", "-q", "--cached", KEYS)
    tick()
    assert GitState.objects.get().state == "kept_out"
    assert together.browser("owner").put("shared/keys/MORE", {"value": "x"}).status_code == 200


@pytest.mark.parametrize("name", ["keys.md", "Keys.MD"])
def test_the_hook_and_the_check_know_the_name_in_any_case(together: Together, name):
    run(together.folder, "init", "-q")
    assert look(together) == "kept_out"
    (together.folder / name).write_text("PAYER=x\n")
    run(together.folder, "add", "-f", name)
    assert run(together.folder, "commit", "-q", "-m", "keys").returncode == 1
    assert look(together) == "tracked"


def test_a_repository_around_the_data_folder_is_found_too(together: Together, data: Path):
    run(data.parent, "init", "-q")
    assert look(together) == "kept_out"
    run(data.parent, "add", "-f", str(together.folder / KEYS))
    assert run(data.parent, "commit", "-q", "-m", "keys").returncode == 1
    assert look(together) == "tracked"


def test_a_linked_work_tree_gets_the_hook_of_its_repository(together: Together, tmp_path: Path):
    main = tmp_path / "main"
    main.mkdir()
    run(main, "init", "-q")
    run(main, "commit", "-q", "--allow-empty", "-m", "first")
    shutil.rmtree(together.folder)
    assert run(main, "worktree", "add", "-q", str(together.folder)).returncode == 0
    together.settle()
    assert (together.folder / ".git").is_file()
    assert look(together) == "kept_out"
    run(together.folder, "add", "-f", KEYS)
    assert run(together.folder, "commit", "-q", "-m", "keys").returncode == 1


def test_hooks_that_lie_elsewhere_in_the_tree_are_found(together: Together):
    run(together.folder, "init", "-q")
    run(together.folder, "config", "core.hooksPath", "hooks")
    assert look(together) == "unguarded"
    assert not (together.folder / "hooks").exists()
    (together.folder / "hooks").mkdir()
    assert look(together) == "kept_out"
    assert (together.folder / "hooks/pre-commit").is_file()
    run(together.folder, "add", "-f", KEYS)
    assert run(together.folder, "commit", "-q", "-m", "keys").returncode == 1


def test_a_hook_of_somebody_else_stays_and_one_outside_is_not_written(together: Together, tmp_path: Path):
    run(together.folder, "init", "-q")
    hook = together.folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n")
    assert look(together) == "unguarded"
    assert hook.read_text() == "#!/bin/sh\nexit 0\n"
    hook.unlink()
    outside = tmp_path / "outside"
    outside.mkdir()
    run(together.folder, "config", "core.hooksPath", str(outside))
    assert look(together) == "unguarded"
    assert list(outside.iterdir()) == []
    run(together.folder, "config", "--unset", "core.hooksPath")
    shutil.rmtree(hook.parent)
    hook.parent.symlink_to(outside)
    assert look(together) in {"unguarded", "unknown"}
    assert list(outside.iterdir()) == []


def test_nothing_that_a_repository_names_is_run(together: Together, tmp_path: Path):
    run(together.folder, "init", "-q")
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external", "filter.x.clean"):
        run(together.folder, "config", name, str(program))
    (together.folder / ".gitattributes").write_text("* filter=x\n")
    look(together)
    look(together)
    assert not ran.exists()


def test_where_git_is_missing_that_is_said(together: Together, monkeypatch):
    run(together.folder, "init", "-q")
    monkeypatch.setenv("PATH", "")
    found = git.check(together.domain)
    assert (found.state, "not installed" in found.said) == ("unknown", True)


def test_a_work_tree_that_the_configuration_names_gets_no_hook(together: Together, tmp_path: Path):
    outside = tmp_path / "outside"
    (outside / "hooks").mkdir(parents=True)
    run(together.folder, "init", "-q")
    run(together.folder, "config", "core.worktree", str(outside))
    run(together.folder, "config", "core.hooksPath", str(outside / "hooks"))
    found = git.check(together.domain)
    assert (found.state, found.said.startswith("Hook not installed: ")) == ("unguarded", True)
    run(together.folder, "config", "core.hooksPath", "hooks")
    (together.folder / "hooks").symlink_to(outside / "hooks")
    assert look(together) == "unguarded"
    assert list((outside / "hooks").iterdir()) == []


@pytest.mark.parametrize("led_by", ["file", "worktree", "module", "link", "commondir"])
def test_a_git_file_or_link_that_leads_elsewhere_gets_no_hook(together: Together, tmp_path: Path, led_by):
    other = tmp_path / "other"
    other.mkdir()
    run(other, "init", "-q")
    run(other, "commit", "-q", "--allow-empty", "-m", "first")
    run(other, "worktree", "add", "-q", str(tmp_path / "linked"))
    shutil.copytree(other / ".git", tmp_path / "module", symlinks=True)
    (tmp_path / "module").rename(other / ".git/modules")
    shutil.rmtree(other / ".git/hooks")
    shutil.rmtree(other / ".git/modules/hooks")
    own = together.folder / ".git"
    if led_by == "link":
        own.symlink_to(other / ".git")
    elif led_by == "commondir":
        run(together.folder, "init", "-q")
        shutil.rmtree(own / "hooks")
        (own / "commondir").write_text(f"{other}/.git\n")
    else:
        below = {"file": "", "worktree": "/worktrees/linked", "module": "/modules"}[led_by]
        own.write_text(f"gitdir: {other}/.git{below}\n")
    found = git.check(together.domain)
    assert (found.state, found.said.startswith("Hook not installed: ")) == ("unguarded", True)
    assert not (other / ".git/hooks").exists()
    assert not (other / ".git/modules/hooks").exists()


def test_a_submodule_gets_the_hook_of_its_own_repository(together: Together, data: Path):
    run(data.parent, "init", "-q")
    own = data.parent / ".git/modules" / together.folder.relative_to(data.parent)
    own.parent.mkdir(parents=True)
    run(together.folder, "init", "-q", f"--separate-git-dir={own}")
    (own / "hooks").mkdir(exist_ok=True)
    assert look(together) == "kept_out"
    assert (own / "hooks/pre-commit").is_file()


@pytest.mark.parametrize("name", [KEYS, "sub/keys.MD"])
def test_a_file_in_the_history_is_reported_until_that_is_rewritten(together: Together, name):
    run(together.folder, "init", "-q")
    run(together.folder, "commit", "-q", "--allow-empty", "-m", "first")
    assert look(together) == "kept_out"
    run(together.folder, "checkout", "-q", "-b", "other")
    (together.folder / "sub").mkdir()
    (together.folder / name).write_text("PAYER=x\n")
    run(together.folder, "add", "-f", name)
    assert look(together) == "tracked"
    run(together.folder, "commit", "-q", "--no-verify", "-m", "keys")
    run(together.folder, "rm", "-q", "--cached", name)
    run(together.folder, "commit", "-q", "-m", "no keys")
    found = git.check(together.domain)
    assert (found.state, "rewrite the history" in found.said) == ("in_history", True)
    assert together.browser("owner").put("shared/keys/MORE", {"value": "x"}).status_code == 200
    run(together.folder, "checkout", "-q", "--detach", "HEAD~2")
    run(together.folder, "branch", "-q", "-D", "other")
    assert look(together) == "kept_out"


def test_a_program_that_a_repository_names_to_fetch_what_it_lacks_is_not_run(together: Together, tmp_path: Path):
    run(together.folder, "init", "-q")
    run(together.folder, "commit", "-q", "--allow-empty", "-m", "first")
    ran = tmp_path / "ran"
    for name, value in {
        "core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "protocol.ext.allow": "always",
        "remote.origin.promisor": "true", "remote.origin.url": f"ext::touch {ran}",
    }.items():  # fmt: skip
        run(together.folder, "config", name, value)
    tree = run(together.folder, "rev-parse", "HEAD^{tree}").stdout.strip()
    (together.folder / ".git/objects" / tree[:2] / tree[2:]).unlink(missing_ok=True)
    (together.folder / ".git/refs/heads/lost").write_text("1" * 40 + "\n")
    assert look(together) == "unknown"
    assert not ran.exists()
