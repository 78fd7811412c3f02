"""The server in the data folder: one for all who use it, closed to everyone else, alive after any kill.

pytest's own folders are 0700, so every test also runs beneath folders that PostgreSQL's user cannot list.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from kndl_site.embedded import (
    Address,
    AlreadyRunning,
    EmbeddedServer,
    EmbeddedServerError,
    NeverStarted,
    connection_parameters,
    install_vector,
    sole_runner,
    superuser_connection,
)
from kndl_site.embedded import postmaster as processes
from kndl_site.embedded.addresses import Role
from kndl_site.embedded.server import prepare_socket_dir
from kndl_site.embedded.system_user import SystemUser, postgres_user
from kndl_site.embedded.tuning import MB, configuration_file, server_settings

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534
ROLES: tuple[Role, ...] = ("app", "owner", "superuser")
USING = """
import sys, time
from pathlib import Path
from kndl_site.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]), durable=False).acquire()
print("acquired", flush=True)
sys.stdin.read()
server.release()
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose server was made and stopped; tests work on copies of it."""
    folder = tmp_path_factory.mktemp("made") / "data"
    with server_of(folder):
        pass
    return folder


@pytest.fixture
def data_dir(made_once: Path, tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "data"
    shutil.copytree(made_once, folder)
    yield folder
    if left := pid_of(folder):
        killed(left)
        pytest.fail("the test left a server running")


@pytest.fixture(scope="module")
def running(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder whose server runs, for tests that only look at it."""
    folder = tmp_path_factory.mktemp("running") / "data"
    shutil.copytree(made_once, folder)
    with server_of(folder):
        yield folder


def server_of(data_dir: Path) -> EmbeddedServer:
    return EmbeddedServer(data_dir, durable=False)


def pid_of(data_dir: Path) -> int | None:
    return processes.running(data_dir / "postgres")


def ask(data_dir: Path, role: Role, question: str, **other: str) -> object:
    parameters: dict[str, Any] = {**connection_parameters(data_dir, role), **other}
    with psycopg.connect(**parameters, autocommit=True) as connection:
        row = connection.execute(question.encode()).fetchone()
    return row and row[0]


def tell(data_dir: Path, role: Role, statement: str) -> None:
    with psycopg.connect(**connection_parameters(data_dir, role), autocommit=True) as connection:
        connection.execute(statement.encode())


def killed(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}/cwd").exists() and time.monotonic() < deadline:
        time.sleep(0.01)


@contextmanager
def another_process_using(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", USING, str(data_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def waits_until_acquired(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdout.readline() == "acquired\n"


def owner_of_the_server(data_dir: Path) -> str:
    with server_of(data_dir):
        assert ask(data_dir, "app", "SELECT 1") == 1
        return str(Path(f"/proc/{pid_of(data_dir)}").stat().st_uid)


def said_by_nobody(act: Callable[[], str]) -> str:
    """What `act` returns, or how it is refused, in a child process without any rights."""
    reading, writing = os.pipe()
    child = os.fork()  # not a new Python: that may be installed where nobody may read
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(writing, act().encode())
        except EmbeddedServerError as refusal:
            os.write(writing, str(refusal).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def test_a_new_folder_under_a_closed_one_gets_a_server_that_answers_every_role(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    folder = closed / "made" / "data"
    (folder / "postgres.new-interrupted").mkdir(parents=True)
    with server_of(folder) as server:
        assert [ask(folder, role, "SELECT current_user") for role in ROLES] == ["kndl_app", "kndl_owner", "postgres"]
        database_owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'kndl'"
        assert ask(folder, "app", database_owner) == "kndl_owner"
        assert ask(folder, "app", "SHOW server_encoding") == "UTF8"
        assert not list(folder.glob("postgres.new-*"))
        assert server.address.socket.is_socket()
    assert pid_of(folder) is None
    assert not closed.stat().st_mode & 0o066, "a folder on the way was opened for reading"


def test_finding_the_server_needs_no_django():
    check = "import sys, kndl_site.embedded; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False, cwd=ROOT).returncode == 0


def test_a_folder_whose_server_was_never_started_says_so_and_stays_untouched(tmp_path):
    with pytest.raises(NeverStarted, match="never started"):
        connection_parameters(tmp_path / "data", "app")
    assert not (tmp_path / "data").exists()


def test_passwords_and_data_are_closed_to_other_people_of_the_machine(running):
    address = Address.of(running)
    for folder in (address.secrets, address.locks, address.socket_dir, address.pgdata, address.log.parent):
        assert folder.stat().st_mode & 0o077 == 0, folder
    for file in (*address.secrets.iterdir(), address.log, *address.locks.iterdir()):
        assert file.stat().st_mode & 0o077 == 0, file
    assert address.socket.stat().st_mode & 0o077 == 0
    assert ask(running, "superuser", "SHOW listen_addresses") == ""


@pytest.mark.parametrize("role", ROLES)
def test_nobody_gets_in_without_the_right_password(running, role, monkeypatch):
    monkeypatch.setenv("PGPASSFILE", str(running / "no-such-file"))
    parameters = connection_parameters(running, role)
    for wrong in ("", "wrong", parameters["password"] + "x"):
        with pytest.raises(psycopg.OperationalError, match="password"):
            ask(running, role, "SELECT 1", password=wrong)
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        psycopg.connect(host=parameters["host"], port=5432, user=parameters["user"], dbname="kndl")
    with superuser_connection(running) as connection:
        methods = connection.execute("SELECT DISTINCT auth_method FROM pg_hba_file_rules").fetchall()
    assert methods == [("scram-sha-256",)]


def test_the_application_is_no_superuser_and_sees_no_passwords(running):
    for role in ("app", "owner"):
        rights = "rolsuper OR rolcreaterole OR rolreplication OR rolbypassrls"
        assert ask(running, role, f"SELECT {rights} FROM pg_roles WHERE rolname = current_user") is False
        assert ask(running, role, "SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user") is True
        for forbidden in ("SELECT * FROM pg_authid", "COPY (SELECT 1) TO PROGRAM 'true'"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                ask(running, role, forbidden)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        tell(running, "app", "CREATE TABLE mine (id int)")


def test_a_table_of_the_owner_is_used_but_not_altered_by_the_application(running):
    tell(running, "owner", "CREATE TABLE fact (id int); GRANT SELECT, INSERT ON fact TO kndl_app")
    tell(running, "app", "INSERT INTO fact VALUES (1)")
    for forbidden in ("TRUNCATE fact", "DROP TABLE fact", "ALTER TABLE fact DISABLE TRIGGER ALL", "DELETE FROM fact"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            tell(running, "app", forbidden)
    assert ask(running, "app", "SELECT count(*) FROM fact") == 1


def test_a_role_that_is_neither_cannot_enter_the_database(running):
    with superuser_connection(running) as connection:
        connection.execute("CREATE ROLE stranger LOGIN PASSWORD 'known'")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        ask(running, "app", "SELECT 1", user="stranger", password="known")


def test_vectors_can_be_installed_in_a_database_more_than_once(running):
    tell(running, "owner", "CREATE DATABASE space_template")
    install_vector(running, "space_template")
    install_vector(running, "space_template")
    assert ask(running, "owner", "SELECT '[1,2]'::halfvec(2) <#> '[3,4]'", dbname="space_template") == -11.0


def test_the_server_is_shared_and_only_the_last_user_stops_it(data_dir):
    first, second = server_of(data_dir), server_of(data_dir)
    first.acquire()
    pid = pid_of(data_dir)
    second.acquire()
    assert pid_of(data_dir) == pid
    first.release()
    first.release()
    assert ask(data_dir, "app", "SELECT 1") == 1
    second.release()
    assert pid_of(data_dir) is None
    with first:
        assert pid_of(data_dir) not in {None, pid}


def test_two_processes_that_start_a_new_folder_at_once_share_one_server(tmp_path):
    folder = tmp_path / "data"
    with another_process_using(folder) as one, another_process_using(folder) as two:
        waits_until_acquired(one)
        waits_until_acquired(two)
        one.communicate("")
        assert one.returncode == 0
        assert ask(folder, "app", "SELECT 1") == 1
        two.communicate("")
    assert pid_of(folder) is None


def test_a_killed_user_leaves_a_server_that_the_next_one_takes_over_and_stops(data_dir):
    with another_process_using(data_dir) as process:
        waits_until_acquired(process)
        pid = pid_of(data_dir)
        process.kill()
        process.wait()
    assert ask(data_dir, "app", "SELECT 1") == 1
    with server_of(data_dir):
        assert pid_of(data_dir) == pid
    assert pid_of(data_dir) is None


def test_the_server_holds_none_of_the_locks(running):
    held = {str(file.readlink()) for file in Path(f"/proc/{pid_of(running)}/fd").iterdir()}
    assert not {path for path in held if path.startswith(str(Address.of(running).locks))}


def test_a_killed_server_comes_back_with_what_was_committed(data_dir):
    first = EmbeddedServer(data_dir).acquire()
    tell(data_dir, "owner", "CREATE TABLE kept AS SELECT generate_series(1, 1000) AS id")
    lost = pid_of(data_dir)
    assert lost is not None
    killed(lost)
    with EmbeddedServer(data_dir):
        assert pid_of(data_dir) not in {None, lost}
        assert ask(data_dir, "owner", "SELECT count(*) FROM kept") == 1000
    assert pid_of(data_dir) is not None, "the first user is still there"
    first.release()


def test_a_start_waits_for_what_a_killed_server_left_at_work(data_dir):
    with server_of(data_dir), closing(psycopg.connect(**connection_parameters(data_dir, "app"))) as connection:
        connection.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 15000000)")
        time.sleep(0.3)
        lost = pid_of(data_dir)
        assert lost is not None
        killed(lost)
        with server_of(data_dir):
            assert ask(data_dir, "app", "SELECT 1") == 1
            assert pid_of(data_dir) not in {None, lost}


def test_a_start_goes_on_when_the_killed_servers_number_belongs_to_another_process(data_dir):
    address = Address.of(data_dir)
    user = postgres_user(address.pgdata)
    with subprocess.Popen(["sleep", "60"], cwd="/", user=None if user.is_us else user.uid) as stranger:
        left_behind = f"{stranger.pid}\n{address.pgdata}\n1700000000\n5432\n{address.socket_dir}\n\n  1  1\nready\n"
        (address.pgdata / "postmaster.pid").write_text(left_behind)
        prepare_socket_dir(address.socket_dir, user)
        address.socket.with_name(f"{address.socket.name}.lock").write_text(left_behind)
        with server_of(data_dir):
            assert pid_of(data_dir) not in {None, stranger.pid}
        assert stranger.poll() is None
        stranger.kill()


def test_two_folders_have_two_servers_side_by_side(data_dir, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(data_dir, other)
    with server_of(data_dir), server_of(other):
        tell(data_dir, "owner", "CREATE TABLE here (id int)")
        assert pid_of(data_dir) != pid_of(other)
        assert ask(other, "owner", "SELECT to_regclass('here')") is None
    assert pid_of(other) is None


def test_a_folder_moved_while_its_server_lives_on_is_taken_over(data_dir, tmp_path):
    with another_process_using(data_dir) as process:
        waits_until_acquired(process)
        process.kill()
    moved = tmp_path / "moved"
    data_dir.rename(moved)
    with server_of(moved):
        assert ask(moved, "app", "SELECT 1") == 1
    assert pid_of(moved) is None


@pytest.mark.parametrize("name", ["""it's "odd" $HOME `id`""", "one, two", "a\\b"])
def test_a_folder_may_have_any_name(name, made_once, tmp_path_factory):
    folder = tmp_path_factory.mktemp("n") / name
    shutil.copytree(made_once, folder)
    with server_of(folder) as server:
        assert ask(folder, "app", "SELECT 1") == 1
    assert pid_of(folder) is None
    if server.address.socket_dir.parent != folder:
        server.address.socket_dir.rmdir()


def test_a_long_path_has_its_socket_in_a_short_closed_folder(made_once, tmp_path):
    folder = tmp_path / ("long" * 30)
    shutil.copytree(made_once, folder)
    socket_dir = Address.of(folder).socket_dir
    assert socket_dir.parent == Path("/tmp")
    try:
        with server_of(folder):
            assert socket_dir.stat().st_mode & 0o077 == 0
            assert ask(folder, "app", "SELECT 1") == 1
    finally:
        shutil.rmtree(socket_dir)


def test_a_socket_folder_that_someone_else_put_there_is_refused(made_once, tmp_path):
    folder = tmp_path / ("long" * 30)
    shutil.copytree(made_once, folder)
    socket_dir = Address.of(folder).socket_dir
    socket_dir.symlink_to(tmp_path)
    try:
        with pytest.raises(EmbeddedServerError, match="not a folder of ours"):
            server_of(folder).acquire()
    finally:
        socket_dir.unlink()
    if os.geteuid() == 0:
        socket_dir.mkdir()
        os.chown(socket_dir, NOBODY, NOBODY)
        try:
            with pytest.raises(EmbeddedServerError, match="not a folder of ours"):
                server_of(folder).acquire()
        finally:
            socket_dir.rmdir()


def test_a_folder_that_lost_its_secrets_gets_new_ones(data_dir):
    old = Address.of(data_dir).password("superuser")
    shutil.rmtree(data_dir / "secrets")
    with server_of(data_dir):
        assert Address.of(data_dir).password("superuser") != old
        assert [ask(data_dir, role, "SELECT 1") for role in ROLES] == [1, 1, 1]


def test_passwords_are_set_again_when_they_differ_from_the_secrets(data_dir):
    Address.of(data_dir).password_file("app").write_text("changed")
    with server_of(data_dir):
        assert ask(data_dir, "app", "SELECT 1") == 1
        Address.of(data_dir).password_file("app").unlink()
        with server_of(data_dir):
            assert ask(data_dir, "app", "SELECT 1") == 1


def test_a_folder_with_something_else_in_the_databases_place_is_left_alone(tmp_path):
    mine = tmp_path / "data" / "postgres" / "mine.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("keep me")
    with pytest.raises(EmbeddedServerError, match="in the way"):
        server_of(tmp_path / "data").acquire()
    assert mine.read_text() == "keep me"


def test_a_server_that_cannot_start_says_why_and_is_no_longer_in_use(data_dir):
    with pytest.raises(EmbeddedServerError, match="invalid value for parameter"):
        EmbeddedServer(data_dir, durable=False, settings={"work_mem": "plenty"}).acquire()
    with EmbeddedServer(data_dir, durable=False, settings={"work_mem": "8MB"}):
        assert ask(data_dir, "app", "SHOW work_mem") == "8MB"


def test_settings_fit_the_machine_and_only_tests_give_up_durability():
    small = server_settings(Path("/s"), memory=1024 * MB, durable=True)
    large = server_settings(Path("/s"), memory=65536 * MB, durable=True)
    assert (small["shared_buffers"], small["effective_cache_size"]) == ("256MB", "512MB")
    assert (large["shared_buffers"], large["effective_cache_size"]) == ("512MB", "32768MB")
    assert "fsync" not in large
    assert server_settings(Path("/s"), memory=1024 * MB, durable=False)["fsync"] == "off"


@pytest.mark.parametrize(("name", "value"), [("work mem", "1"), ("work_mem", "1MB'\nfsync = off"), ("", "1")])
def test_a_setting_cannot_smuggle_in_another(name, value):
    with pytest.raises(ValueError, match="not a setting"):
        configuration_file({name: value})


def test_only_one_up_runs_on_a_folder(tmp_path):
    script = "import sys; from pathlib import Path; from kndl_site.embedded import sole_runner\n"
    script += "with sole_runner(Path(sys.argv[1])): print('running', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "running\n"
        with pytest.raises(AlreadyRunning, match=rf"already running on this folder \(process {other.pid}\)"):
            sole_runner(tmp_path).__enter__()
        other.kill()
    with sole_runner(tmp_path):
        pass
    with sole_runner(tmp_path):
        pass


@as_root
def test_as_root_the_server_runs_as_another_user(running):
    runs_as = Path(f"/proc/{pid_of(running)}").stat().st_uid
    assert runs_as != 0
    assert (running / "postgres" / "PG_VERSION").stat().st_uid == runs_as
    assert (running / "secrets").stat().st_uid == 0


@as_root
def test_programs_installed_for_root_alone_become_readable_but_nothing_else_does(tmp_path):
    program, library = tmp_path / "closed" / "bin" / "program", tmp_path / "closed" / "lib" / "library.so"
    for file in (program, library):
        file.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        file.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o700)
    library.chmod(0o600)
    (tmp_path / "closed").chmod(0o700)
    beside = tmp_path / "beside"
    beside.write_text("private")
    beside.chmod(0o600)
    user = SystemUser(NOBODY, NOBODY)
    user.let_reach(program.parent.parent)
    user.let_read(program.parent.parent)
    assert user.run([program], pgdata=tmp_path, output=subprocess.DEVNULL, timeout=10) == 0
    assert user.run(["/bin/cat", library], pgdata=tmp_path, output=subprocess.DEVNULL, timeout=10) == 0
    assert user.run(["/bin/cat", beside], pgdata=tmp_path, output=subprocess.DEVNULL, timeout=10) != 0
    assert user.run(["/bin/ls", tmp_path], pgdata=tmp_path, output=subprocess.DEVNULL, timeout=10) != 0


@as_root
def test_an_ordinary_user_runs_the_server_as_themselves_and_root_may_help_out(made_once):
    with tempfile.TemporaryDirectory(prefix="kndl-test-") as home:
        os.chown(home, NOBODY, NOBODY)
        folder = Path(home, "data")
        assert said_by_nobody(lambda: owner_of_the_server(folder)) == str(NOBODY)
        assert owner_of_the_server(folder) == str(NOBODY), "root works on the folder as its owner"
        assert said_by_nobody(lambda: owner_of_the_server(folder)) == str(NOBODY), "who can go on with it"


@as_root
def test_an_ordinary_user_is_told_that_a_folder_is_not_theirs(data_dir):
    with server_of(data_dir):
        assert "cannot be written: run Kndl as the user it belongs to" in said_by_nobody(
            lambda: owner_of_the_server(data_dir)
        )
