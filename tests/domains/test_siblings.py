"""What the members of a domain see of each other's folders, and what their seats mount."""

import os
import shutil
import stat
import subprocess
import unicodedata
from pathlib import Path

import pytest

from domains import looking, siblings
from domains.models import SiblingView
from domains.mounts import mounts_of
from domains.reading import members_with_mounts
from tests.domains.together import KEYS, Together, folder_in

MARK = "marker-of-what-nobody-else-sees"


@pytest.fixture
def alpha(together: Together) -> Path:
    """The folder of alpha, with what may be seen and what may not."""
    folder = folder_in(together.alpha)
    (folder / "src").mkdir()
    (folder / "src/main.py").write_text("print('alpha')\n")
    (folder / "README.md").write_text("# Alpha\n")
    hidden = [
        "KEYS.md", "src/keys.MD", ".env", ".Env.local", "src/.ENV", "data/rows.csv", "Data/x", ".git/config",
        "src/.GIT/config", unicodedata.normalize("NFD", "KEYS.md"), "KEYS.md~", ".KEYS.md.swp",
    ]  # fmt: skip
    for name in hidden:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MARK)
    return folder


def view(together: Together) -> Path:
    return siblings.view_of(together.domain, together.alpha)


def seen(folder: Path) -> dict[str, str]:
    """The files of a view, with what is in them."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place) / name
            found[path.relative_to(folder).as_posix()] = path.read_text()
    return found


def test_a_view_has_copies_of_what_is_allowed_and_nothing_else(together: Together, alpha: Path):
    siblings.refresh(together.domain)
    assert seen(view(together)) == {"src/main.py": "print('alpha')\n", "README.md": "# Alpha\n"}
    for path in view(together).rglob("*"):
        mode = path.lstat()
        assert stat.S_IMODE(mode.st_mode) == (0o555 if path.is_dir() else 0o444)
        assert path.is_dir() or (mode.st_nlink == 1 and mode.st_ino != (alpha / path.name).parent.stat().st_ino)
    assert stat.S_IMODE(view(together).stat().st_mode) == 0o555
    assert (view(together) / "README.md").stat().st_ino != (alpha / "README.md").stat().st_ino
    found = SiblingView.objects.get(member__project=together.alpha)
    assert found.files == 2
    assert {"KEYS.md", ".env*", "data/", ".git"} <= set(found.left_out)


def test_links_hard_links_and_special_files_are_left_out(together: Together, alpha: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text(MARK)
    (alpha / "plain.txt").symlink_to(alpha / ".env")
    (alpha / "folder").symlink_to(outside)
    (alpha / "harmless.txt").hardlink_to(alpha / ".env")
    (alpha / "src/of-the-domain.txt").hardlink_to(together.folder / KEYS)
    os.mkfifo(alpha / "pipe")
    siblings.refresh(together.domain)
    assert set(seen(view(together))) == {"src/main.py", "README.md"}
    assert MARK not in "".join(seen(view(together)).values())
    left = SiblingView.objects.get(member__project=together.alpha).left_out
    assert (left["links"], left["files with several names"], left["special files"]) == (2, 2, 1)


def test_what_is_made_renamed_and_removed_later_follows(together: Together, alpha: Path):
    siblings.refresh(together.domain)
    inode = view(together).stat().st_ino
    (alpha / "late.txt").write_text("late\n")
    (alpha / "sub").mkdir()
    (alpha / "sub/.env.production").write_text(MARK)
    (alpha / "README.md").rename(alpha / "KEYS.MD")
    (alpha / "src/main.py").write_text("print('changed')\n")
    siblings.refresh(together.domain)
    assert seen(view(together)) == {"src/main.py": "print('changed')\n", "late.txt": "late\n"}
    assert view(together).stat().st_ino == inode
    shutil.rmtree(alpha / "src")
    (alpha / "src").write_text("a file now\n")
    (alpha / "late.txt").unlink()
    siblings.refresh(together.domain)
    assert seen(view(together)) == {"src": "a file now\n"}


def test_a_file_that_took_the_place_of_a_folder_and_back(together: Together, alpha: Path):
    (alpha / "thing").write_text("file\n")
    siblings.refresh(together.domain)
    (alpha / "thing").unlink()
    (alpha / "thing/deep").mkdir(parents=True)
    (alpha / "thing/deep/x").write_text("x\n")
    siblings.refresh(together.domain)
    assert seen(view(together))["thing/deep/x"] == "x\n"


def test_a_view_is_the_same_after_being_cut_short(together: Together, alpha: Path):
    siblings.refresh(together.domain)
    view(together).chmod(0o755)
    (view(together) / "README.md").chmod(0o644)
    (view(together) / "README.md").write_text("half of")
    (view(together) / "left over").mkdir()
    (siblings.view_of(together.domain, together.alpha).with_name("alpha.incoming")).mkdir()
    siblings.refresh(together.domain)
    assert set(seen(view(together))) == {"src/main.py", "README.md"}
    assert not (view(together) / "left over").exists()
    assert seen(view(together))["README.md"] == "# Alpha\n"
    assert stat.S_IMODE(view(together).stat().st_mode) == 0o555


def test_a_view_beyond_the_limit_is_cut_and_says_so(together: Together, alpha: Path, monkeypatch):
    monkeypatch.setattr(looking, "MOST_FILES", 1)
    monkeypatch.setattr(looking, "LARGEST_FILE", 10)
    siblings.refresh(together.domain)
    assert list(seen(view(together))) == ["README.md"]
    found = SiblingView.objects.get(member__project=together.alpha)
    assert found.left_out["files that are too large"] == 1
    assert "files that are too large: 1" in siblings.left_out_of(found)


@pytest.mark.parametrize("where", ["", "domains/shared", "secrets", "projects", "projects/north", ".."])
def test_a_folder_with_kndls_own_data_is_never_shown(together: Together, data: Path, where):
    (data / "secrets").mkdir()
    (data / "secrets/root.key").write_text(MARK)
    together.alpha.folder = str(data / where)
    together.alpha.save()
    siblings.refresh(together.domain)
    assert seen(view(together)) == {}
    assert "own data" in SiblingView.objects.get(member__project=together.alpha).said


def test_a_project_without_a_folder_shows_nothing_and_says_why(together: Together):
    folder_in(together.alpha).rmdir()
    siblings.refresh(together.domain)
    assert seen(view(together)) == {}
    assert SiblingView.objects.get(member__project=together.alpha).said == "The project has no folder yet."


def test_seats_mount_their_domain_to_write_and_their_siblings_to_read(together: Together):
    found = mounts_of(together.alpha)
    assert [(mount.target, mount.mode) for mount in found] == [
        ("/domains/shared", "rw"),
        ("/siblings/shared/beta", "ro"),
    ]
    assert found[0].source == together.folder
    assert {"KEYS.md", ".env*", "data/", ".git"} <= set(found[1].left_out)
    assert all(mount.source.is_dir() and mount.why for mount in found)
    assert mounts_of(together.gamma) == []
    rows = members_with_mounts(together.domain)
    assert [(row.member.project.slug, len(row.mounts)) for row in rows] == [("alpha", 2), ("beta", 2)]


def test_without_cross_read_and_for_one_who_left_the_view_is_gone_at_once(together: Together, alpha: Path):
    siblings.refresh(together.domain)
    boss = together.browser("boss")
    assert boss.send("PATCH", "shared", {"cross_read": False}).status_code == 200
    assert not view(together).exists()
    assert [mount.target for mount in mounts_of(together.beta)] == ["/domains/shared"]
    assert boss.send("PATCH", "shared", {"cross_read": True}).status_code == 200
    siblings.refresh(together.domain)
    assert view(together).exists()
    assert boss.put("shared/members", {"members": [{"space": "north", "project": "beta"}]}).status_code == 200
    assert not view(together).exists()
    assert mounts_of(together.alpha) == []


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root and setpriv")
def test_another_user_reads_a_view_and_can_neither_write_nor_reach_what_is_hidden(together: Together, alpha: Path):
    (alpha / ".env").chmod(0o600)
    siblings.refresh(together.domain)
    for folder in [view(together), *view(together).parents]:
        if folder.stat().st_uid == 0 and folder.stat().st_mode & 0o5 != 0o5:
            folder.chmod(folder.stat().st_mode | 0o5)

    def as_nobody(script: str) -> subprocess.CompletedProcess[str]:
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", script]
        return subprocess.run(words, cwd=view(together), capture_output=True, text=True, check=False, timeout=30)

    assert as_nobody("cat README.md").stdout == "# Alpha\n"
    assert as_nobody("echo x >> README.md").returncode
    assert as_nobody("echo x > new.md").returncode
    assert as_nobody("chmod 600 README.md").returncode
    for path in (".env", ".ENV", "./.env", "KEYS.md", "keys.md", "src/../.env", "data/rows.csv"):
        assert as_nobody(f"cat '{path}'").returncode, path
    assert as_nobody(f"grep -r {MARK} .").stdout == ""
    assert as_nobody(f"cat {together.folder / KEYS}").returncode


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs root and unshare")
def test_a_bind_mount_of_a_view_stays_up_to_date_and_read_only(together: Together, alpha: Path, tmp_path: Path):
    siblings.refresh(together.domain)
    target, go, done = tmp_path / "sibling", tmp_path / "go", tmp_path / "done"
    target.mkdir()
    script = (
        f"mount --bind '{view(together)}' '{target}' && mount -o remount,bind,ro '{target}' || exit 77\n"
        f"touch '{done}'; while [ ! -e '{go}' ]; do sleep 0.05; done\n"
        f"cat '{target}/late.txt'; touch '{target}/x' && echo written; ls -a '{target}'"
    )
    seat = subprocess.Popen(["unshare", "-m", "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    while not done.exists() and seat.poll() is None:
        pass
    if seat.poll() is not None:
        pytest.skip("mounts are not allowed here")
    (alpha / "late.txt").write_text("late\n")
    (alpha / ".env.late").write_text(MARK)
    siblings.refresh(together.domain)
    go.touch()
    said = seat.communicate(timeout=30)[0].decode()
    assert said.startswith("late\n")
    assert "written" not in said
    assert ".env" not in said
