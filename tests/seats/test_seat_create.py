"""`manage.py seat_create` and `manage.py owner_link`."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from seats.authentication import caller_of_token
from seats.models import Seat, SeatToken
from seats.tokens import MORE_VERBS, VERBS, hash_of
from spaces.databases.provisioning import drop_space_database
from spaces.invitations import accept, find
from spaces.models import Membership, Space
from spaces.purposes import PURPOSES
from tests.actors import make_user

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def north(committed_db, new_space) -> Space:
    return new_space("north", owner=make_user("owner"))


def seat_create(*flags: str) -> tuple[SeatToken, str]:
    """The token that was made, and what was said beside it."""
    out, err = StringIO(), StringIO()
    call_command("seat_create", *flags, stdout=out, stderr=err)
    secret = out.getvalue().split()[-1]
    return SeatToken.objects.select_related("seat__scope").get(secret_hash=hash_of(secret)), err.getvalue()


def test_the_token_is_the_last_word_and_everything_else_is_said_elsewhere(north):
    command = [sys.executable, "manage.py", "seat_create", "--space", "north"]
    ran = subprocess.run(command, cwd=ROOT, env=os.environ.copy(), capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ran.stdout.split()[-1]
    assert SeatToken.objects.get().secret_hash == hash_of(ran.stdout.strip())
    assert "Made the seat main-1" in ran.stderr
    assert ran.stdout.strip() not in ran.stderr


def test_a_refusal_ends_with_status_1_and_names_the_flag(north):
    command = [sys.executable, "manage.py", "seat_create", "--space", "north", "--verbs", "facts:burn"]
    ran = subprocess.run(command, cwd=ROOT, env=os.environ.copy(), capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert "--verbs: there is no verb facts:burn" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_every_flag_reaches_the_seat(north):
    token, said = seat_create(
        "--space", "north", "--assistant", "Wren", "--owner", "Jun Hallowick", "--project", "ledger",
        "--kind", "scheduled", "--client", "codex", "--verbs", "facts:read,cross_tenant", "--purposes", "care,billing",
        "--reads-shared",
    )  # fmt: skip
    seat = token.seat
    assert (seat.scope.name, seat.project.slug, seat.kind, seat.client) == (
        "wren.jun-hallowick", "ledger", "scheduled", "codex",
    )  # fmt: skip
    assert (token.verbs, token.purposes, token.reads_shared) == (
        ["facts:read", "cross_tenant"],
        ["care", "billing"],
        True,
    )
    assert caller_of_token(token).scope_id == seat.scope_id
    assert "wren.jun-hallowick" in said


def test_the_usual_verbs_come_without_a_purpose_and_all_of_them_with_all(north):
    usual, _ = seat_create("--space", "north")
    every, _ = seat_create("--space", "north", "--verbs", "all")
    some, _ = seat_create("--space", "north", "--verbs", "all", "--purposes", "care")
    assert (usual.verbs, usual.purposes) == (list(VERBS), [])
    assert (every.verbs, every.purposes) == ([*VERBS, *MORE_VERBS], list(PURPOSES))
    assert (some.verbs, some.purposes) == ([*VERBS, *MORE_VERBS], ["care"])


def test_each_new_scope_is_another(north):
    scopes = {seat_create("--space", "north", "--new-scope")[0].seat.scope_id for _ in range(3)}
    assert len(scopes) == 3


def test_a_new_space_is_made_only_when_asked(committed_db):
    with pytest.raises(CommandError, match=r"--space.*--create"):
        seat_create("--space", "fresh")
    first, _ = seat_create("--space", "fresh", "--create", "--verbs", "all")
    again, _ = seat_create("--space", "fresh", "--create")
    space = Space.objects.get()
    assert (space.slug, space.state) == ("fresh", "ready")
    assert first.seat.scope.shared
    assert first.seat.scope_id == again.seat.scope_id
    drop_space_database(space.pk)


def test_a_new_space_belongs_to_the_owner_of_the_instance(committed_db):
    boss = make_user("boss")
    type(boss).objects.filter(pk=boss.pk).update(instance_role="owner")
    token, _ = seat_create("--space", "fresh", "--create")
    assert Membership.objects.get(user=boss).role == "owner"
    assert token.seat.scope.owner == boss
    drop_space_database(Space.objects.get().pk)


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--space", "nowhere"], "--space"),
        (["--space", "No Slug", "--create"], "--space"),
        (["--space", "north", "--kind", "robot"], "--kind"),
        (["--space", "north", "--client", "telnet"], "--client"),
        (["--space", "north", "--verbs", ","], "--verbs"),
        (["--space", "north", "--purposes", "gossip"], "--purposes"),
        (["--space", "north", "--project", "No Slug"], "--project"),
        (["--space", "north", "--assistant", "x" * 121], "--assistant"),
        (["--space", "north", "--owner", "x" * 121], "--owner"),
        (["--space", "north", "--tenant", "x"], "--tenant"),
        ([], "--space"),
    ],
)
def test_a_flag_that_cannot_be_used_is_named_and_nothing_is_made(north, flags, named):
    with pytest.raises(CommandError, match=named):
        seat_create(*flags)
    assert not Seat.objects.exists()
    assert Space.objects.count() == 1


def test_the_owner_link_is_printed_while_there_is_no_owner(committed_db):
    out, err = StringIO(), StringIO()
    call_command("owner_link", stdout=out, stderr=err)
    assert "A link that was printed before no longer works." in err.getvalue()
    secret = out.getvalue().split()[-1].rpartition("/join/")[2]
    assert find(secret).instance_role == "owner"
    accept(secret, name="Jun", email="jun@example.test", password="hay hay paper hay")
    with pytest.raises(CommandError, match="has an owner"):
        call_command("owner_link", stdout=out)
