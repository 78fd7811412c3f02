"""`make setup`: what it refuses, what it does again and what it leaves alone."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("kndl_setup", ROOT / "scripts" / "setup.py")
assert spec is not None
assert spec.loader is not None
setup = importlib.util.module_from_spec(spec)
spec.loader.exec_module(setup)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout in a folder with a space and a quote in its name, whose lock asks for nothing."""
    root = tmp_path / "my brother's kndl"
    command = root / "seats" / "kndl" / "kndl.py"
    command.parent.mkdir(parents=True)
    command.write_text("import sys\nprint(sys.argv[1:])\n")
    (root / "lock.txt").write_text("")
    monkeypatch.setattr(setup, "ROOT", root)
    return root


@pytest.fixture
def calls(monkeypatch):
    """The commands that were run, by what each is for; they are really run."""
    done = []
    run = setup.run

    def remembered(what, *command):
        done.append(what)
        run(what, *command)

    monkeypatch.setattr(setup, "run", remembered)
    return done


def test_an_old_python_is_refused_by_its_version_and_told_what_to_do():
    with pytest.raises(SystemExit, match=r"3\.11 or newer.*/usr/bin/python3 is 3\.9.*PYTHON="):
        setup.refuse_old_python("/usr/bin/python3", 3, 9)


def test_a_python_of_today_is_taken():
    setup.refuse_old_python(sys.executable, *sys.version_info[:2])


def test_the_second_setup_does_nothing_until_the_lock_changes_or_a_setup_was_cut_off(checkout, calls):
    made, installed = "Making .venv", "Installing lock.txt into .venv"
    venv = checkout / ".venv"

    setup.install(venv, "lock.txt")
    assert calls == [made, installed]
    assert not (checkout / ".venv.unfinished").exists()

    setup.install(venv, "lock.txt")
    assert calls == [made, installed]

    (checkout / "lock.txt").write_text("# changed\n")
    setup.install(venv, "lock.txt")
    assert calls == [made, installed, installed]

    (checkout / ".venv.unfinished").touch()
    setup.install(venv, "lock.txt")
    assert calls == [made, installed, installed, made, installed]

    (venv / "bin" / "python").unlink()
    setup.install(venv, "lock.txt")
    assert calls[5:] == [made, installed]


def test_the_launcher_runs_the_command_of_its_checkout_from_anywhere(checkout, tmp_path):
    (checkout / ".venv" / "bin").mkdir(parents=True)
    (checkout / ".venv" / "bin" / "python").symlink_to(sys.executable)
    setup.write_launcher(checkout)
    link = tmp_path / "kndl"
    link.symlink_to(checkout / ".venv" / "bin" / "kndl")

    answer = subprocess.run([link, "query", "two words"], capture_output=True, text=True, check=True, cwd=tmp_path)

    assert answer.stdout == "['query', 'two words']\n"
