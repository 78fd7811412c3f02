"""Domains over REST: who makes them, CONTEXT, LOG, KEYS, evidence."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from common.times import now
from domains.models import ContextRevision, Domain, LogLine
from tests.domains.together import CONTEXT, KEYS, LOG, Together, acts

DAY = now().date().isoformat()
NEW = {"slug": "money", "name": "Money flow"}


def member(space: str, project: str) -> dict[str, str]:
    return {"space": space, "project": project}


def test_the_instances_owner_makes_a_domain_with_its_directory(together: Together):
    boss = together.browser("boss")
    answer = boss.post("", NEW | {"members": [member("north", "alpha")]}, Idempotency_Key="k")
    assert answer.status_code == 201, answer.content
    assert answer.json()["members"] == [{"space": "north", "project": "alpha", "name": "Alpha"}]
    assert (answer.json()["cross_read"], answer.json()["context"]) == (True, 1)
    assert (together.folder.parent / "money" / KEYS).is_file()
    again = boss.post("", NEW | {"members": [member("north", "alpha")]}, Idempotency_Key="k")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    assert boss.post("", NEW).status_code == 409
    assert [found["slug"] for found in boss.get().json()["domains"]] == ["money", "shared"]


@pytest.mark.parametrize("slug", ["A", "../x", "", "new", "x" * 49, "a\0b", ".views"])
def test_a_name_that_is_none_makes_nothing(together: Together, slug):
    answer = together.browser("boss").post("", NEW | {"slug": slug})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "slug")
    assert Domain.objects.count() == 1
    assert len([path for path in together.folder.parent.iterdir() if path.is_dir()]) <= 3


def test_members_of_several_spaces_need_the_owners_confirmation(together: Together):
    boss = together.browser("boss")
    both = {"members": [member("north", "alpha"), member("elsewhere", "gamma")]}
    answer = boss.put("shared/members", both)
    assert (answer.status_code, answer.json()["code"]) == (409, "crosses_spaces")
    assert answer.json()["spaces"] == ["elsewhere", "north"]
    answer = boss.put("shared/members", both | {"crosses": True})
    assert (answer.status_code, answer.json()["crosses"]) == (200, True)
    assert acts("domain.cross_spaces") == ["domain.cross_spaces"]
    assert together.browser("stranger").get("shared").status_code == 200
    assert together.seat(together.beta).get("shared").status_code == 404
    unknown = boss.put("shared/members", {"members": [member("north", "gamma")]})
    assert (unknown.status_code, unknown.json()["errors"][0]["field"]) == (422, "members.0")


def test_two_members_of_one_name_are_refused(together: Together):
    together.gamma.slug = "alpha"
    together.gamma.save()
    both = {"members": [member("north", "alpha"), member("elsewhere", "alpha")], "crosses": True}
    assert together.browser("boss").put("shared/members", both).status_code == 400


def test_the_owner_changes_name_and_cross_read(together: Together):
    boss = together.browser("boss")
    answer = boss.send("PATCH", "shared", {"name": "Other", "cross_read": False})
    assert (answer.status_code, answer.json()["name"], answer.json()["cross_read"]) == (200, "Other", False)
    assert boss.send("PATCH", "shared", {"name": " "}).status_code == 400
    assert boss.send("PATCH", "shared", {"cross_read": 1}).status_code == 400


def test_a_rewrite_is_a_revision_with_its_author_base_and_difference(together: Together):
    teammate = together.browser("teammate")
    read = teammate.get("shared/context")
    assert (read["ETag"], read.json()["text"], read.json()["limit"]) == ('"1"', "# Shared\n", 16_384)
    answer = teammate.rewrite("# Shared\n\nMoney is in cents.\n", 1, note="first rule")
    assert (answer.status_code, answer["ETag"], answer.json()["author"]) == (200, '"2"', "Teammate")
    assert together.read(CONTEXT) == "# Shared\n\nMoney is in cents.\n"
    listed = teammate.get("shared/context/revisions", limit=1).json()
    assert [found["revision"] for found in listed["revisions"]] == [2]
    more = teammate.get("shared/context/revisions", limit=1, cursor=listed["next"]).json()
    assert ([found["revision"] for found in more["revisions"]], more["next"]) == ([1], None)
    one = teammate.get("shared/context/revisions/2").json()
    assert (one["base"], one["note"], "+Money is in cents." in one["diff"]) == (1, "first rule", True)
    assert teammate.get("shared/context/revisions/3").status_code == 404
    assert teammate.get("shared/context/revisions", cursor="x").status_code == 400


def test_a_stale_base_gets_what_is_current_and_what_changed(together: Together):
    teammate, seat = together.browser("teammate"), together.seat(together.alpha)
    assert seat.rewrite("# Shared\n\nFrom the seat.\n", 1).status_code == 200
    answer = teammate.rewrite("# Shared\n\nFrom a person.\n", 1)
    assert (answer.status_code, answer.json()["code"], answer.json()["current"]) == (412, "stale", 2)
    assert answer.json()["text"] == "# Shared\n\nFrom the seat.\n"
    assert "+From the seat." in answer.json()["diff"]
    assert teammate.put("shared/context", {"text": "# Shared\n"}).status_code == 400
    for wrong in ('"x"', '"99"', "*", '"-1"'):
        assert teammate.put("shared/context", {"text": "# Shared\n"}, If_Match=wrong).status_code == 400


@pytest.mark.usefixtures("committed_db")
def test_of_two_editors_at_once_one_wins_and_the_other_is_told(together: Together):
    seats = [together.seat(together.alpha), together.seat(together.beta)]
    ready = threading.Barrier(2)

    def write(number: int) -> int:
        ready.wait(10)
        return int(seats[number].rewrite(f"# Shared\n\nBy number {number}.\n", 1).status_code)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(write, range(2))) == [200, 412]
    assert ContextRevision.objects.count() == 2
    assert together.read(CONTEXT) == ContextRevision.objects.latest("number").text


def test_dropping_more_than_half_asks_for_confirmation(together: Together):
    seat = together.seat(together.alpha)
    assert seat.rewrite("# Shared\n" + "A rule that holds.\n" * 10, 1).status_code == 200
    answer = seat.rewrite("# Shared\n", 2)
    assert (answer.status_code, answer.json()["code"]) == (409, "drops_half")
    assert seat.rewrite("# Shared\n", 2, confirm=True).status_code == 200
    assert together.read(CONTEXT) == "# Shared\n"


def test_credentials_are_refused_without_being_said_again_and_history_is_warned_of(together: Together):
    seat = together.seat(together.alpha)
    answer = seat.rewrite("# Shared\nDB_PASSWORD=hunter2hunter2\n", 1)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "text")
    assert b"hunter2" not in answer.content
    assert seat.rewrite("x" * 16_400, 1).status_code == 413
    assert seat.rewrite("a\u202eb" * 9, 1).status_code == 400
    warned = seat.rewrite("# Shared\n\n## History\n", 1)
    assert [found["line"] for found in warned.json()["warnings"]] == [3]


def test_a_value_of_keys_gets_neither_into_context_nor_into_the_log(together: Together):
    together.write(KEYS, "PAYER=quietly plain words\n")
    seat = together.seat(together.alpha)
    assert seat.rewrite("# Shared\nIt is quietly plain words.\n", 1).status_code == 400
    assert seat.post("shared/log", {"change": "now quietly plain words"}).status_code == 400


def test_a_seat_logs_for_its_own_project_and_a_person_names_one(together: Together):
    seat, teammate = together.seat(together.alpha), together.browser("teammate")
    body = {"change": "Batches are of 500", "date": DAY}
    answer = seat.post("shared/log", body, Idempotency_Key="k")
    assert answer.status_code == 201
    assert answer.json() | {"author": "", "at": ""} == {
        "number": 1, "date": DAY, "project": "alpha", "change": "Batches are of 500", "author": "", "source": "api",
        "at": "",
    }  # fmt: skip
    assert seat.post("shared/log", body, Idempotency_Key="k").json()["number"] == 1
    assert seat.post("shared/log", {"change": "x", "project": "beta"}).status_code == 403
    assert teammate.post("shared/log", {"change": "x"}).status_code == 400
    assert teammate.post("shared/log", {"change": "x", "project": "gamma"}).status_code == 400
    assert teammate.post("shared/log", {"change": "x", "project": "beta", "date": DAY}).status_code == 201
    assert together.read(LOG) == f"{DAY} · alpha · Batches are of 500\n{DAY} · beta · x\n"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"change": "a\nb"}, "change"), ({"change": ""}, "change"), ({"change": " "}, "change"),
        ({"change": "x" * 1_001}, "change"), ({"change": "a\u202eb"}, "change"),
        ({"change": "x", "date": "2026-02-30"}, "date"), ({"change": "x", "date": "tomorrow"}, "date"),
        ({"change": "x", "date": (now() + timedelta(days=2)).date().isoformat()}, "date"),
        ({"change": "x", "date": 20260101}, "date"), ({"change": 1}, "change"), ({"change": "x", "more": 1}, "more"),
    ],
)  # fmt: skip
def test_a_change_that_is_no_line_is_refused_by_name(together: Together, body, field):
    answer = together.seat(together.alpha).post("shared/log", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
    assert (LogLine.objects.count(), together.read(LOG)) == (0, "")


def test_the_log_is_filtered_paged_and_followed(together: Together):
    yesterday = (now() - timedelta(days=1)).date().isoformat()
    lines = [f"{yesterday} · alpha · one", f"{DAY} · beta · two", f"{DAY} · alpha · three"]
    together.write(LOG, "\n".join(lines) + "\n")
    together.settle()
    seat = together.seat(together.alpha)

    def changes(**query):
        return [found["change"] for found in seat.get("shared/log", **query).json()["lines"]]

    assert changes() == ["one", "two", "three"]
    assert changes(project="alpha") == ["one", "three"]
    assert changes(**{"from": DAY}) == ["two", "three"]
    assert changes(to=yesterday) == ["one"]
    assert changes(after=2) == ["three"]
    first = seat.get("shared/log", limit=2).json()
    assert (first["last"], changes(limit=2, cursor=first["next"])) == (2, ["three"])
    assert seat.get("shared/log", **{"from": DAY, "to": yesterday}).status_code == 400
    assert seat.get("shared/log", wait=31).status_code == 400
    started = time.monotonic()
    assert seat.get("shared/log", after=3, wait=1).json() == {"lines": [], "last": 3, "next": None}
    assert 0.9 < time.monotonic() - started < 5


@pytest.mark.usefixtures("committed_db")
def test_a_follower_is_answered_as_soon_as_a_line_comes(together: Together):
    seat, other = together.seat(together.alpha), together.seat(together.beta)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(lambda: seat.get("shared/log", after=0, wait=20).json()["lines"])
        time.sleep(0.7)
        started = time.monotonic()
        assert other.post("shared/log", {"change": "here it is"}).status_code == 201
        assert [found["change"] for found in waiting.result(20)] == ["here it is"]
        assert time.monotonic() - started < 10


def test_keys_are_masked_changed_after_proof_and_revealed_one_at_a_time_on_record(together: Together):
    owner = together.browser("owner")
    answer = owner.put("shared/keys/PAYER", {"value": "plain and quiet"})
    assert (answer.status_code, answer.json()["value"]) == (200, "••••••••")
    assert owner.put("shared/keys/OTHER", {"value": "x"}).status_code == 200
    assert together.read(KEYS) == "PAYER=plain and quiet\nOTHER=x\n"
    listed = owner.get("shared/keys")
    assert [(key["name"], key["value"]) for key in listed.json()["keys"]] == [
        ("PAYER", "••••••••"),
        ("OTHER", "••••••••"),
    ]
    revealed = owner.post("shared/keys/PAYER/reveal")
    assert revealed.json() == {"name": "PAYER", "value": "plain and quiet"}
    assert "no-store" in revealed["Cache-Control"]
    assert acts("domain.key_reveal") == ["domain.key_reveal"]
    assert owner.send("DELETE", "shared/keys/PAYER").status_code == 204
    assert owner.send("DELETE", "shared/keys/PAYER").status_code == 404
    assert owner.post("shared/keys/PAYER/reveal").status_code == 404
    assert together.read(KEYS) == "OTHER=x\n"
    unproved = together.browser("owner", confirmed=False)
    for answer in (
        unproved.put("shared/keys/A", {"value": "x"}),
        unproved.post("shared/keys/OTHER/reveal"),
        unproved.send("DELETE", "shared/keys/OTHER"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "confirmation_required")


@pytest.mark.parametrize(
    ("name", "value"), [("A%20B", "x"), ("A%00", "x"), ("A", "a\nb"), ("A", ""), ("A", " x"), ("A", 1)]
)
def test_a_key_that_would_break_the_file_is_refused(together: Together, name, value):
    assert together.browser("owner").put(f"shared/keys/{name}", {"value": value}).status_code == 400
    assert together.read(KEYS) == ""
    assert together.browser("owner").post("shared/keys/A%00/reveal").status_code == 404


def test_evidence_is_read_by_who_governs_after_proof_and_on_record(together: Together):
    together.write(CONTEXT, "# Shared\nAPI_TOKEN=a1b2c3d4e5\n")
    together.settle()
    owner = together.browser("owner")
    one = owner.get("shared/evidence").json()["evidence"][0]
    assert (one["kind"], one["file"]) == ("context_refused", CONTEXT)
    found = owner.get(f"shared/evidence/{one['id']}")
    assert found.json()["found"] == "# Shared\nAPI_TOKEN=a1b2c3d4e5\n"
    assert acts("domain.evidence_read") == ["domain.evidence_read"]
    assert together.browser("owner", confirmed=False).get(f"shared/evidence/{one['id']}").status_code == 403
    assert together.browser("teammate").get("shared/evidence").status_code == 403
    assert together.seat(together.alpha).get("shared/evidence").status_code == 403
