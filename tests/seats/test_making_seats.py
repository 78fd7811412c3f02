"""Making seats: what is missing is made, what is there is used, and one transaction holds it all."""

import re
import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from audit.verifying import first_fault
from common.errors import Forbidden, Invalid
from common.times import now
from seats.making import make_seat
from seats.models import Seat, SeatToken
from seats.tokens import VERBS
from spaces.access import SYSTEM_CALLER, person_caller
from spaces.models import Assistant, Membership, Project, Scope
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_seat_token, make_user

SEATS = "/spaces/north/seats"
FORM = {
    "project": "main",
    "kind": "engine",
    "client": "claude",
    "assistant": "Wren",
    "owner": "Teammate",
    "verbs": ["facts:read", "facts:write"],
    "purposes": ["billing"],
    "reads_shared": "on",
    "expires_on": "2999-12-31",
}


def made(trio: Trio, **given) -> Seat:
    return make_seat(person_caller(trio.owner), trio.space, **given)[0]


@pytest.mark.django_db
class TestMaking:
    def test_without_a_name_it_is_the_assistant_of_the_spaces_owner_in_the_main_project(self, trio: Trio):
        seat, token = make_seat(person_caller(trio.owner), trio.space)
        assert (seat.scope.assistant.name, seat.scope.owner, seat.project.slug) == ("assistant", trio.owner, "main")
        assert seat.scope.name == "assistant.owner"
        assert (seat.name, seat.kind, seat.client) == ("main-1", "engine", "claude")
        assert token.startswith("kndl_seat_")
        assert SeatToken.objects.get().verbs == list(VERBS)

    def test_what_is_there_is_used_again(self, trio: Trio):
        first, second = made(trio), made(trio)
        assert (first.scope_id, first.project_id) == (second.scope_id, second.project_id)
        assert second.name == "main-2"
        assert Assistant.objects.count() == Project.objects.count() == 1

    def test_an_owner_is_found_by_address_or_by_name(self, trio: Trio):
        by_name, by_address = made(trio, owner="Teammate"), made(trio, owner="TEAMMATE@example.test")
        assert by_name.scope == by_address.scope
        assert by_name.scope.owner == trio.teammate

    def test_an_owner_nobody_knows_becomes_a_member_who_does_not_sign_in(self, trio: Trio):
        person = made(trio, owner="Jun Hallowick").scope.owner
        assert (person.name, person.email, person.has_usable_password()) == ("Jun Hallowick", None, False)
        assert Membership.objects.get(user=person).role == "member"
        assert made(trio, owner="Jun Hallowick").scope.owner == person

    def test_somebody_of_another_space_is_not_pulled_in_by_a_person_who_guesses_their_address(self, trio: Trio):
        person = made(trio, owner=str(trio.stranger.email)).scope.owner
        assert person != trio.stranger
        assert not Membership.objects.filter(space=trio.space, user=trio.stranger).exists()

    def test_the_command_line_may_bring_them_in(self, trio: Trio):
        seat, _ = make_seat(SYSTEM_CALLER, trio.space, owner=str(trio.stranger.email))
        assert seat.scope.owner == trio.stranger
        assert Membership.objects.get(space=trio.space, user=trio.stranger).role == "member"

    def test_two_members_of_one_name_are_told_apart_by_address(self, trio: Trio):
        for number in range(2):
            person = User.objects.create_user(f"sam{number}@example.test", "Sam")
            Membership.objects.create(space=trio.space, user=person)
        with pytest.raises(Invalid) as refused:
            made(trio, owner="Sam")
        assert refused.value.errors[0].field == "owner"
        assert made(trio, owner="sam1@example.test").scope.owner.email == "sam1@example.test"

    def test_a_space_without_an_owner_gives_its_shared_scope(self, new_space):
        seat, _ = make_seat(SYSTEM_CALLER, new_space("demo"))
        assert seat.scope.shared
        assert seat.scope.name == "shared"

    def test_a_new_scope_is_one_that_nobody_has_used(self, trio: Trio, new_space):
        scopes = [made(trio, new_scope=True).scope for _ in range(3)]
        assert len({scope.pk for scope in scopes}) == 3
        assert all(re.fullmatch(r"assistant-[0-9a-f]{6}\.owner", scope.name) for scope in scopes)
        shared = [make_seat(SYSTEM_CALLER, demo, new_scope=True)[0].scope for demo in [new_space("demo")] * 2]
        assert shared[0].pk != shared[1].pk
        assert all(re.fullmatch(r"assistant-[0-9a-f]{6}", scope.name) for scope in shared)

    def test_a_new_scope_of_a_pair_that_has_one_is_refused(self, trio: Trio):
        made(trio, assistant="Wren", new_scope=True)
        with pytest.raises(Invalid) as refused:
            made(trio, assistant="Wren", new_scope=True)
        assert refused.value.errors[0].field == "new_scope"

    def test_names_that_look_alike_in_an_address_get_scopes_of_their_own(self, trio: Trio):
        names = [made(trio, assistant=name).scope.name for name in ("Wren", "wren", "WREN!")]
        assert names == ["wren.owner", "wren.owner-2", "wren.owner-3"]
        assert re.fullmatch(r"[0-9a-f]{6}\.owner", made(trio, assistant="王").scope.name)

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"kind": "robot"}, "kind"),
            ({"client": "telnet"}, "client"),
            ({"verbs": ["facts:read", "facts:burn"]}, "verbs"),
            ({"verbs": []}, "verbs"),
            ({"purposes": ["gossip"]}, "purposes"),
            ({"project": "No Slug"}, "project"),
            ({"project": "x" * 49}, "project"),
            ({"project": "x\0"}, "project"),
            ({"assistant": "x\0"}, "assistant"),
            ({"assistant": "\u200b"}, "assistant"),
            ({"assistant": "x" * 121}, "assistant"),
            ({"owner": "x\0"}, "owner"),
            ({"expires_at": now() - timedelta(seconds=1)}, "expires_at"),
        ],
    )
    def test_what_may_not_be_is_refused_by_name_and_nothing_is_made(self, trio: Trio, given, field):
        with pytest.raises(Invalid) as refused:
            made(trio, **given)
        assert [error.field for error in refused.value.errors] == [field]
        assert not Seat.objects.exists()
        assert not Assistant.objects.exists()
        assert not Project.objects.exists()
        assert User.objects.count() == 3

    @pytest.mark.parametrize("role", [None, "member", "auditor"])
    def test_only_owners_and_admins_make_them(self, trio: Trio, role):
        Membership.objects.filter(user=trio.teammate).delete()
        if role:
            Membership.objects.create(space=trio.space, user=trio.teammate, role=role)
        for person in (trio.teammate, trio.stranger):
            with pytest.raises(Forbidden):
                make_seat(person_caller(person), trio.space)
        assert not Seat.objects.exists()

    def test_every_part_is_on_record_and_the_token_is_not(self, trio: Trio):
        seat, token = make_seat(person_caller(trio.owner), trio.space, assistant="Wren", owner="Jun Hallowick")
        rows = list(AuditRow.objects.using("default").order_by("sequence"))
        assert [row.act for row in rows] == [
            "member.add", "assistant.make", "scope.make", "project.make", "seat.make",
        ]  # fmt: skip
        assert rows[-1].object == f"seat:{seat.pk}"
        assert rows[-1].scope == seat.scope_id
        assert {row.actor_id for row in rows} == {str(trio.owner.pk)}
        everything = " ".join(str(vars(row)) for row in rows)
        assert token not in everything
        assert "Jun Hallowick" not in everything
        assert first_fault("default") is None


def test_two_made_at_once_share_what_they_need(committed_db, new_space):
    owner = make_user("owner")
    space = new_space("north", owner=owner)
    start, names = threading.Barrier(4), []

    def make() -> None:
        start.wait()
        try:
            names.append(make_seat(person_caller(owner), space, assistant="Wren", owner="Jun", project="new")[0].name)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(names) == ["new-1", "new-2", "new-3", "new-4"]
    assert Scope.objects.exclude(owner=None).count() == Assistant.objects.count() == Project.objects.count() == 1
    assert User.objects.filter(name="Jun").count() == 1


@pytest.mark.django_db
class TestThePages:
    def test_an_owner_makes_one_and_sees_its_token_once(self, trio: Trio):
        client = governing_client(trio.owner)
        answer = client.post(f"{SEATS}/new", FORM)
        token = answer.context["token"]
        shown = answer.content.decode()
        assert shown.count(token) == 1
        assert f">{token}</code>" in shown
        assert answer["Cache-Control"] == "no-store"
        me = Client().get("/api/v1/seat", headers={"Authorization": f"Bearer {token}"}).json()
        assert me == {
            "space": "north",
            "scope": "wren.teammate",
            "project": "main",
            "name": "main-1",
            "kind": "engine",
            "client": "claude",
            "verbs": ["facts:read", "facts:write"],
            "purposes": ["billing"],
            "reads_shared": True,
            "revisions": {},
        }
        page = client.get(SEATS).content.decode()
        assert token not in page
        assert token[:14] in page
        assert "wren.teammate" in page

    def test_a_new_token_is_shown_with_what_to_do_with_it(self, trio: Trio):
        answer = governing_client(trio.owner).post(f"{SEATS}/new", FORM)
        words = answer.content.decode()
        assert "export KNDL_STORAGE=http://localhost:8000/spaces/north" in words
        assert "export KNDL_TOKEN=" in words
        assert "/kndl.py" in words
        assert re.search(r'data-copy="token"[^>]* hidden>', words)

    def test_fifty_are_on_a_page(self, trio: Trio):
        for _ in range(51):
            make_seat_token(trio.space)
        client = governing_client(trio.owner)
        pages = [client.get(SEATS, {"page": page}).content.decode() for page in ("1", "2", "nonsense")]
        assert [page.count("<tr>") - 1 for page in pages] == [50, 1, 50]
        assert "1–50 of 51" in pages[0]
        assert 'href="?page=2"' in pages[0]
        assert 'href="?page=1"' in pages[1]

    def test_a_token_ends_with_its_last_day_in_the_zone_of_the_space(self, trio: Trio):
        type(trio.space).objects.filter(pk=trio.space.pk).update(zone="Asia/Tokyo")
        governing_client(trio.owner).post(f"{SEATS}/new", FORM)
        assert SeatToken.objects.get().expires_at.isoformat() == "2999-12-31T15:00:00+00:00"

    @pytest.mark.parametrize(
        ("changed", "field"),
        [({"verbs": []}, "verbs"), ({"project": "No Slug"}, "project"), ({"kind": "robot"}, "kind")],
    )
    def test_what_is_wrong_is_said_at_its_field(self, trio: Trio, changed, field):
        answer = governing_client(trio.owner).post(f"{SEATS}/new", FORM | changed)
        assert answer.status_code == 400
        assert field in answer.context["form"].errors
        assert not Seat.objects.exists()

    def test_a_day_in_the_past_is_refused(self, trio: Trio):
        answer = governing_client(trio.owner).post(f"{SEATS}/new", FORM | {"expires_on": "2001-01-01"})
        assert "Must lie ahead." in answer.content.decode()

    def test_auditors_look_members_and_strangers_do_not(self, trio: Trio):
        made(trio)
        assert trio.client("teammate").get(SEATS).status_code == 403
        assert governing_client(trio.stranger).get(SEATS).status_code == 404
        Membership.objects.filter(user=trio.teammate).update(role="auditor")
        auditor = governing_client(trio.teammate)
        page = auditor.get(SEATS).content.decode()
        assert "main-1" in page
        assert "Add a seat" not in page
        assert "Revoke" not in page
        assert auditor.get(f"{SEATS}/new").status_code == 403
        assert auditor.post(f"{SEATS}/new", FORM).status_code == 403

    def test_without_any_the_page_says_what_a_seat_is(self, trio: Trio):
        assert "No seat yet" in governing_client(trio.owner).get(SEATS).content.decode()

    def test_a_name_is_text_and_never_markup(self, trio: Trio):
        client = governing_client(trio.owner)
        client.post(f"{SEATS}/new", FORM | {"owner": "<img src=x onerror=alert(1)>"})
        assert "<img" not in client.get(SEATS).content.decode()
