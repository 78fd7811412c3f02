"""What members change on the disk, and what comes of it."""

import os
import stat
import subprocess
import sys
import threading
import time
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

from common.folders.writing import incoming, locked
from common.times import now
from domains import evidence, holding
from domains.appending import append_line
from domains.models import ContextRevision, Domain, DomainKey, Evidence, LogLine
from domains.reading import keys_of, log_of
from domains.rights import Standing
from domains.rows import content_of
from domains.ticking import tick
from domains.watching import watch
from spaces.access import SYSTEM_CALLER, person_caller
from spaces.databases.transactions import attempted_here
from tests.domains.together import CONTEXT, KEYS, LOG, Together, acts

DAY = now().date().isoformat()


def line(change: str, project: str = "alpha") -> str:
    return f"{DAY} · {project} · {change}\n"


def kept(one: Evidence) -> bytes:
    domain = Domain.objects.get(pk=one.domain_id)
    return attempted_here(lambda act: evidence.content_of(act, SYSTEM_CALLER, domain, one))


def test_a_new_domain_has_its_three_files_and_one_that_keeps_keys_out_of_git(together: Together):
    assert sorted(path.name for path in together.folder.iterdir()) == [".gitignore", CONTEXT, KEYS, LOG]
    assert (together.read(CONTEXT), together.read(LOG), together.read(KEYS)) == ("# Shared\n", "", "")
    assert "KEYS.md" in together.read(".gitignore").splitlines()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in together.folder.iterdir()}
    assert modes == {".gitignore": 0o644, CONTEXT: 0o644, KEYS: 0o600, LOG: 0o644}


def test_a_rewrite_on_disk_becomes_a_revision_by_nobody_known(together: Together):
    together.write(CONTEXT, "# Shared\r\nMoney is kept in cents.")
    tick()
    made = ContextRevision.objects.latest("number")
    assert (made.number, made.base, made.source, made.actor_kind) == (2, 1, "disk", "disk")
    assert made.text == "# Shared\nMoney is kept in cents.\n"
    before = len(acts("domain."))
    tick()
    assert len(acts("domain.")) == before
    assert together.evidence() == []


def test_lines_added_on_disk_are_taken_up_in_their_order(together: Together):
    together.write(LOG, line("one") + line("two", "beta").strip())
    together.settle()
    assert [(row.number, row.project, row.change, row.source) for row in log_of(together.domain)] == [
        (1, "alpha", "one", "disk"),
        (2, "beta", "two", "disk"),
    ]
    assert together.read(LOG) == line("one") + line("two", "beta")


def test_a_log_edited_on_disk_is_back_within_one_tick_with_what_was_found(together: Together):
    """BI-091."""
    together.write(LOG, line("one") + line("two") + line("three"))
    together.settle()
    edited = line("one") + line("two, or so") + line("three") + line("four")
    together.write(LOG, edited)
    tick()
    assert together.read(LOG) == line("one") + line("two") + line("three") + line("four")
    one = Evidence.objects.get()
    assert (one.kind, one.line, one.said) == (
        "log_changed",
        2,
        "Line 2 of LOG.md was changed on disk; the log was put back.",
    )
    assert kept(one).decode() == edited
    assert "or so" not in one.said
    assert edited.encode() not in bytes(one.content)


@pytest.mark.parametrize("how", ["removed", "emptied", "deleted"])
def test_a_line_taken_away_on_disk_is_back(together: Together, how):
    together.write(LOG, line("one") + line("two"))
    together.settle()
    if how == "deleted":
        (together.folder / LOG).unlink()
    else:
        together.write(LOG, line("two") if how == "removed" else "")
    together.settle()
    assert together.read(LOG) == line("one") + line("two")
    assert [found[1] for found in together.evidence()] == [1]
    assert LogLine.objects.count() == 2


def test_lines_that_are_refused_are_kept_aside_and_the_good_ones_taken(together: Together):
    tomorrow = (now() + timedelta(days=2)).date().isoformat()
    bad = [f"{tomorrow} · alpha · later", line("not a member", "gamma").strip(), "nonsense"]
    bad.append(line("API_KEY=a1b2c3d4").strip())
    together.write(LOG, "\n".join([bad[0], line("good").strip(), *bad[1:], ""]))
    together.settle()
    assert together.read(LOG) == line("good")
    one = Evidence.objects.get()
    assert one.kind == "log_refused"
    assert one.said == "4 lines added to LOG.md on disk kept aside; of the first, its date must not lie in the future."
    assert kept(one).decode().splitlines() == bad


def test_bytes_that_are_no_text_are_kept_and_not_taken(together: Together):
    together.write(LOG, b"\xff\xfe\n")
    together.write(CONTEXT, b"# Shared \xff\n")
    together.write(KEYS, b"A=\xff\n")
    together.settle()
    assert {kind for kind, _ in together.evidence()} == {"log_refused", "context_refused", "keys_refused"}
    assert sorted(kept(one) for one in Evidence.objects.all()) == [b"# Shared \xff\n", b"A=\xff\n", b"\xff\xfe\n"]
    assert (together.read(CONTEXT), together.read(LOG), together.read(KEYS)) == ("# Shared\n", "", "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# Shared\nAPI_TOKEN=a1b2c3d4e5\n", "credentials"),
        ("# " + "x" * 20_000, "16,384 bytes"),
        ("#\n", "keep half"),
        ("a\x1bbcdefghi", "control"),
    ],
)
def test_a_context_that_the_rules_refuse_is_put_back_and_kept(together: Together, text, why):
    together.write(CONTEXT, text)
    together.settle()
    assert together.read(CONTEXT) == "# Shared\n"
    one = Evidence.objects.get()
    assert (one.kind, why in one.said) == ("context_refused", True)
    assert kept(one).decode() == text
    assert ContextRevision.objects.count() == 1


def test_keys_changed_on_disk_renew_the_sealed_rows(together: Together):
    together.write(KEYS, "# Payer\nPAYER=first value\nPLAIN=two\n")
    together.settle()
    first = {row.name: row.changed_at for row in keys_of(together.domain)}
    together.write(KEYS, "# Payer\nPAYER=second value\nPLAIN=two\nMORE=3\n")
    together.settle()
    assert [key.name for key in keys_of(together.domain)] == ["PAYER", "PLAIN", "MORE"]
    later = {row.name: row.changed_at for row in keys_of(together.domain)}
    assert (later["PLAIN"], later["PAYER"] > first["PAYER"]) == (first["PLAIN"], True)
    assert content_of(together.domain, KEYS).decode() == together.read(KEYS)
    assert not any(b"value" in bytes(row.sealed) for row in DomainKey.objects.all())
    (together.folder / KEYS).chmod(0o644)
    together.settle()
    assert stat.S_IMODE((together.folder / KEYS).stat().st_mode) == 0o600


def test_a_keys_file_emptied_on_disk_is_put_back(together: Together):
    together.write(KEYS, "PAYER=first value\n")
    together.settle()
    together.write(KEYS, "")
    together.settle()
    assert together.read(KEYS) == "PAYER=first value\n"
    assert together.evidence() == [("keys_refused", None)]


@pytest.mark.parametrize("what", ["link", "folder", "pipe", "dangling"])
def test_what_stands_in_the_place_of_a_file_is_never_followed(together: Together, tmp_path, what):
    together.write(LOG, line("one"))
    together.write(KEYS, "PAYER=first value\n")
    together.settle()
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text("SECRET=outside of the domain\n")
    before = {file: together.read(file) for file in (CONTEXT, LOG, KEYS)}
    for file in before:
        put_in_its_place(together.folder / file, what, elsewhere)
    together.settle()
    assert not [file for file in before if (together.folder / file).is_symlink()]
    assert {file: together.read(file) for file in before} == before
    assert elsewhere.read_text() == "SECRET=outside of the domain\n"
    assert not elsewhere.with_name("nowhere").exists()
    assert together.evidence() == [("replaced", None), ("replaced", 1), ("replaced", None)]
    assert not DomainKey.objects.filter(name="SECRET").exists()
    aside = together.folder.parent / ".aside"
    assert len(list(aside.glob("*/inside"))) == (3 if what == "folder" else 0)


def put_in_its_place(place: Path, what: str, elsewhere: Path) -> None:
    place.unlink()
    if what == "folder":
        place.mkdir()
        (place / "inside").write_text("kept")
    elif what == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(elsewhere if what == "link" else elsewhere.with_name("nowhere"))


def test_a_folder_that_is_gone_comes_back_whole(together: Together):
    together.write(LOG, line("one"))
    together.settle()
    for path in together.folder.iterdir():
        path.unlink()
    together.folder.rmdir()
    together.settle()
    assert together.read(LOG) == line("one")
    assert together.read(CONTEXT) == "# Shared\n"


def test_what_a_killed_writer_left_of_keys_is_removed(together: Together):
    left = incoming(together.folder) / "0123"
    left.write_text("PAYER=first value\n")
    together.settle()
    assert not left.exists()


def test_both_ways_at_once_lose_nothing(together: Together):
    """What the API adds goes behind what a seat appended meanwhile, into the same file."""
    inode = (together.folder / LOG).stat().st_ino
    with (together.folder / LOG).open("a") as seat:
        seat.write(line("from the seat", "beta"))
    answer = together.seat(together.alpha).post("shared/log", {"change": "from the API", "date": DAY})
    assert answer.status_code == 201
    assert together.read(LOG) == line("from the seat", "beta") + line("from the API")
    assert (together.folder / LOG).stat().st_ino == inode


def test_a_rewrite_on_disk_makes_the_base_of_an_api_writer_stale(together: Together):
    together.write(CONTEXT, "# Shared\nFrom the disk.\n")
    answer = together.seat(together.alpha).rewrite("# Shared\nFrom the API.\n", 1)
    assert (answer.status_code, answer.json()["current"]) == (412, 2)
    assert "+From the disk." in answer.json()["diff"]
    assert together.read(CONTEXT) == "# Shared\nFrom the disk.\n"


def test_what_was_committed_and_not_written_yet_is_written_and_never_mistaken_for_tampering(together: Together):
    """As after a kill -9 between the transaction and the file, with a seat that wrote in between."""
    together.write(LOG, line("one"))
    together.settle()
    standing = Standing(person_caller(together.trio.teammate), together.domain)
    day = date.fromisoformat(DAY)
    attempted_here(lambda act: append_line(act, standing, change="committed", project="alpha", day=day, source="api"))
    with (together.folder / LOG).open("a") as seat:
        seat.write(line("meanwhile", "beta"))
    holding.take_up(together.domain)
    assert together.read(LOG) == line("one") + line("committed") + line("meanwhile", "beta")
    assert together.evidence() == []


def test_the_database_itself_lets_no_line_be_altered(together: Together):
    together.write(LOG, line("one"))
    together.settle()
    for statement in ("update domains_logline set change = 'x'", "delete from domains_logline"):
        with (
            pytest.raises(DatabaseError, match=r"never changed|permission denied"),
            transaction.atomic(using="default"),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


@pytest.mark.usefixtures("committed_db")
def test_a_watcher_takes_up_changes_without_a_tick(together: Together):
    stop = threading.Event()
    thread = threading.Thread(target=watch, args=(stop,))
    thread.start()
    try:
        time.sleep(0.3)
        together.write(CONTEXT, "# Shared\nSeen soon.\n")
        until = time.monotonic() + 10
        while ContextRevision.objects.count() < 2 and time.monotonic() < until:
            time.sleep(0.1)
        assert ContextRevision.objects.latest("number").text == "# Shared\nSeen soon.\n"
    finally:
        stop.set()
        thread.join(10)
    assert not thread.is_alive()


def test_a_lock_is_held_against_another_process(together: Together):
    code = (
        "import sys; from pathlib import Path; from common.folders.writing import locked\n"
        "with locked(Path(sys.argv[1])): print('in')"
    )
    with locked(together.folder):
        other = subprocess.Popen([sys.executable, "-c", code, str(together.folder)], stdout=subprocess.PIPE)
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.6)
    assert other.communicate(timeout=10)[0] == b"in\n"
