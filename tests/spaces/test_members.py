"""Who belongs to a Space, in which role."""

import re
import threading

import pytest
from django.db import connections
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from audit.recording import Actor
from common.errors import Conflict, Forbidden, Invalid, NotFound
from spaces.access import SYSTEM_CALLER, Caller, person_caller
from spaces.members import members_of, remove_member, set_role
from spaces.models import Membership, Space
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_user

PEOPLE = "/spaces/north/people"


def without_token(page: bytes) -> bytes:
    """The page without what differs at every request: the mask of the CSRF token, and the moment it was read."""
    return re.sub(rb'value="\w{64}"|<time .*?</time>', b"", page)


def role_of(user: User, space: Space) -> str | None:
    return Membership.objects.filter(user=user, space=space).values_list("role", flat=True).first()


@pytest.mark.django_db
class TestRoles:
    def test_an_owner_gives_and_takes_every_role_on_record(self, trio: Trio):
        for role in ("admin", "auditor", "owner", "member"):
            set_role(person_caller(trio.owner), trio.space, trio.teammate, role)
            assert role_of(trio.teammate, trio.space) == role
        rows = AuditRow.objects.using("default").filter(act="member.role").order_by("sequence")
        assert [(row.stated["before"], row.stated["role"]) for row in rows] == [
            ("member", "admin"),
            ("admin", "auditor"),
            ("auditor", "owner"),
            ("owner", "member"),
        ]
        assert {row.actor_id for row in rows} == {str(trio.owner.pk)}

    @pytest.mark.parametrize("who", ["teammate", "stranger"])
    def test_others_change_nothing(self, trio: Trio, who):
        caller = person_caller(getattr(trio, who))
        with pytest.raises(Forbidden):
            set_role(caller, trio.space, trio.teammate, "owner")
        with pytest.raises(Forbidden):
            remove_member(caller, trio.space, trio.owner)

    def test_an_auditor_looks_and_changes_nothing(self, trio: Trio):
        Membership.objects.filter(user=trio.teammate).update(role="auditor")
        with pytest.raises(Forbidden):
            set_role(person_caller(trio.teammate), trio.space, trio.teammate, "admin")

    def test_a_seat_changes_nothing(self, trio: Trio):
        seat = Caller(Actor("seat", "s"), "seat", space_id=trio.space.pk, verbs=frozenset({"memory:govern"}))
        with pytest.raises(Forbidden):
            set_role(seat, trio.space, trio.teammate, "admin")

    def test_an_admin_neither_makes_nor_unmakes_owners(self, trio: Trio):
        Membership.objects.filter(user=trio.teammate).update(role="admin")
        admin = person_caller(trio.teammate)
        with pytest.raises(Forbidden):
            set_role(admin, trio.space, trio.teammate, "owner")
        with pytest.raises(Forbidden):
            set_role(admin, trio.space, trio.owner, "member")
        with pytest.raises(Forbidden):
            remove_member(admin, trio.space, trio.owner)

    def test_the_last_owner_is_neither_demoted_nor_removed(self, trio: Trio):
        owner = person_caller(trio.owner)
        for attempt in (
            lambda: set_role(owner, trio.space, trio.owner, "admin"),
            lambda: remove_member(owner, trio.space, trio.owner),
            lambda: remove_member(SYSTEM_CALLER, trio.space, trio.owner),
        ):
            with pytest.raises(Conflict) as refused:
                attempt()
            assert refused.value.type == "last_owner"
        assert role_of(trio.owner, trio.space) == "owner"

    def test_an_owner_may_leave_to_another(self, trio: Trio):
        set_role(person_caller(trio.owner), trio.space, trio.teammate, "owner")
        remove_member(person_caller(trio.owner), trio.space, trio.owner)
        assert [one.user for one in members_of(trio.space)] == [trio.teammate]

    def test_somebody_of_another_space_is_not_found(self, trio: Trio):
        with pytest.raises(NotFound):
            set_role(person_caller(trio.owner), trio.space, trio.stranger, "member")
        with pytest.raises(NotFound):
            remove_member(person_caller(trio.owner), trio.space, trio.stranger)

    @pytest.mark.parametrize("role", ["", "Owner", "emperor"])
    def test_there_is_no_other_role(self, trio: Trio, role):
        with pytest.raises(Invalid):
            set_role(person_caller(trio.owner), trio.space, trio.teammate, role)

    def test_those_who_govern_come_first_then_by_name(self, trio: Trio):
        for name, role in (("zoe", "admin"), ("abel", "member"), ("mia", "auditor")):
            Membership.objects.create(space=trio.space, user=make_user(name), role=role)
        assert [one.user.name for one in members_of(trio.space)] == ["Owner", "Zoe", "Mia", "Abel", "Teammate"]


@pytest.mark.parametrize("number", range(3))
def test_of_two_owners_who_demote_each_other_at_once_one_stays(committed_db, new_space, number):
    first, second = make_user("first"), make_user("second")
    space = new_space("north", owner=first)
    Membership.objects.create(space=space, user=second, role="owner")
    start = threading.Barrier(2)

    def demote(caller: User, other: User) -> None:
        start.wait()
        try:
            set_role(person_caller(caller), space, other, "member")
        except (Conflict, Forbidden):
            pass
        finally:
            connections.close_all()

    threads = [threading.Thread(target=demote, args=pair) for pair in ((first, second), (second, first))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Membership.objects.filter(space=space, role="owner").count() == 1


@pytest.mark.django_db
class TestThePage:
    def test_each_member_sees_the_list_and_only_who_governs_sees_what_changes_it(self, trio: Trio):
        seen = {"owner": governing_client(trio.owner), "teammate": trio.client("teammate")}
        for who, client in seen.items():
            page = client.get(PEOPLE).content.decode()
            assert "Owner" in page
            assert "Teammate" in page
            assert ("Invite a person" in page) == (who == "owner")
            assert ("/remove" in page) == (who == "owner")

    def test_a_stranger_gets_what_a_missing_space_gives(self, trio: Trio):
        client = governing_client(trio.stranger)
        here, nowhere = client.get(PEOPLE), client.get("/spaces/nowhere/people")
        assert here.status_code == nowhere.status_code == 404
        assert without_token(here.content) == without_token(nowhere.content)

    def test_nobody_is_sent_to_sign_in(self, trio: Trio):
        assert Client().get(PEOPLE)["Location"] == f"/accounts/login/?next={PEOPLE}"

    def test_an_owner_sets_a_role(self, trio: Trio):
        answer = governing_client(trio.owner).post(
            f"{PEOPLE}/{trio.teammate.pk}/role", {"role": "auditor"}, follow=True
        )
        assert "Teammate is auditor now." in answer.content.decode()
        assert role_of(trio.teammate, trio.space) == "auditor"

    def test_the_last_owner_is_told_why_they_stay(self, trio: Trio):
        client = governing_client(trio.owner)
        answer = client.post(f"{PEOPLE}/{trio.owner.pk}/role", {"role": "member"}, follow=True)
        assert "A Space always has an owner." in answer.content.decode()
        answer = client.post(f"{PEOPLE}/{trio.owner.pk}/remove", follow=True)
        assert "A Space always has an owner." in answer.content.decode()
        assert role_of(trio.owner, trio.space) == "owner"

    def test_removing_says_first_what_goes_and_what_stays(self, trio: Trio):
        client, address = governing_client(trio.owner), f"{PEOPLE}/{trio.teammate.pk}/remove"
        page = client.get(address).content.decode()
        assert "Remove Teammate" in page
        assert "Stays" in page
        assert role_of(trio.teammate, trio.space) == "member"
        client.post(address)
        assert role_of(trio.teammate, trio.space) is None
        assert trio.client("teammate").get(PEOPLE).status_code == 404

    @pytest.mark.parametrize("path", ["invite", "{}/role", "{}/remove"])
    def test_a_member_who_tries_is_refused_on_record_and_a_stranger_finds_nothing(self, trio: Trio, path):
        address = f"{PEOPLE}/{path.format(trio.teammate.pk)}"
        assert trio.client("teammate").post(address, {"role": "owner"}).status_code == 403
        assert governing_client(trio.stranger).post(address, {"role": "owner"}).status_code == 404
        assert role_of(trio.teammate, trio.space) == "member"

    def test_a_role_is_changed_only_after_proving_again_that_it_is_you_and_then_at_once(self, trio: Trio):
        client = governing_client(trio.owner)
        session = client.session
        session["account_authentication_methods"] = []
        session.save()
        asked = client.post(f"{PEOPLE}/{trio.teammate.pk}/role", {"role": "admin"})
        assert asked["Location"].startswith("/accounts/reauthenticate/")
        assert role_of(trio.teammate, trio.space) == "member"
        client.post(asked["Location"], {"password": "a long enough password"})
        assert role_of(trio.teammate, trio.space) == "admin"

    def test_a_name_is_text_and_never_markup(self, trio: Trio):
        User.objects.filter(pk=trio.teammate.pk).update(name="<script>alert(1)</script>")
        page = governing_client(trio.owner).get(PEOPLE).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page


class TestANewSpace:
    def test_the_owner_and_admins_of_the_instance_make_one_and_own_it(self, committed_db):
        boss = make_user("boss")
        User.objects.filter(pk=boss.pk).update(instance_role="admin")
        client = governing_client(boss)
        made = client.post("/spaces/new", {"name": "Field Support", "slug": "field-support", "zone": "Europe/Lisbon"})
        assert made["Location"] == "/spaces/field-support/"
        space = Space.objects.get()
        assert (space.name, space.zone, space.state) == ("Field Support", "Europe/Lisbon", "ready")
        assert role_of(boss, space) == "owner"
        again = client.post("/spaces/new", {"name": "Other", "slug": "field-support", "zone": "UTC"})
        assert again.status_code == 400
        assert "There is a Space named field-support already." in again.content.decode()
        bad = client.post("/spaces/new", {"name": "Other", "slug": "No Slug", "zone": "UTC"})
        assert bad.status_code == 400
        drop(space)

    @pytest.mark.django_db
    @pytest.mark.parametrize("who", ["owner", "teammate", "stranger"])
    def test_roles_in_a_space_do_not_make_one(self, trio: Trio, who):
        client = trio.client("teammate") if who == "teammate" else governing_client(getattr(trio, who))
        for answer in (
            client.get("/spaces/new"),
            client.post("/spaces/new", {"name": "X", "slug": "x", "zone": "UTC"}),
        ):
            assert answer.status_code == 403
        assert Space.objects.count() == 2


def drop(space: Space) -> None:
    from spaces.databases.provisioning import drop_space_database

    drop_space_database(space.pk)
