"""Invitations: one-time links into the instance or into a Space."""

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from audit.verifying import first_fault
from common.errors import Conflict, Forbidden, Invalid
from common.times import now
from spaces.access import person_caller
from spaces.invitations import (
    NotGood,
    accept,
    accept_as,
    find,
    invite,
    invite_to_sign_in,
    link_of,
    open_invitations,
    owner_link,
    revoke,
)
from spaces.members import remove_member, set_role
from spaces.models import Invitation, Membership
from tests.accounts.factors import SIGN_IN, governing_client
from tests.actors import Trio, make_user

NEW = {"name": "Jun Hallowick", "email": "jun@example.test", "password": "hay hay paper hay"}


def secret_of(link: str) -> str:
    return link.rpartition("/")[2]


def invited(trio: Trio, role: str = "member", email: str = "") -> str:
    return secret_of(invite(person_caller(trio.owner), trio.space, role, email)[1])


def acts(name: str) -> list[AuditRow]:
    return list(AuditRow.objects.using("default").filter(act=name).order_by("sequence"))


def make_admin(trio: Trio) -> None:
    set_role(person_caller(trio.owner), trio.space, trio.teammate, "admin")


@pytest.mark.django_db
class TestIntoASpace:
    def test_somebody_new_joins_with_the_role_they_were_invited_to(self, trio: Trio):
        person = accept(invited(trio, "auditor"), **NEW)
        assert (person.name, person.email) == ("Jun Hallowick", "jun@example.test")
        assert person.check_password(NEW["password"])
        assert Membership.objects.get(user=person).role == "auditor"
        assert Membership.objects.get(user=person).space == trio.space

    def test_each_step_is_on_record_with_its_actor_and_without_secret_or_address(self, trio: Trio):
        secret = invited(trio, email="jun@example.test")
        person = accept(secret, **NEW)
        (made,), (accepted,), (added,) = (
            acts("invitation.make"),
            acts("invitation.accept"),
            acts("member.add"),
        )
        assert made.actor_id == str(trio.owner.pk)
        assert accepted.actor_id == added.actor_id == str(person.pk)
        assert made.object == accepted.object == f"invitation:{Invitation.objects.get().pk}"
        everything = " ".join(str(vars(row)) for row in AuditRow.objects.using("default").all())
        assert secret not in everything
        assert "jun@example.test" not in everything
        assert first_fault("default") is None

    def test_only_a_hash_of_the_secret_is_kept(self, trio: Trio):
        secret = invited(trio)
        row = Invitation.objects.values().get()
        assert len(secret) == 43
        assert secret not in str(row)
        assert len(bytes(row["secret_hash"])) == 32

    def test_somebody_signed_in_joins_as_who_they_are(self, trio: Trio):
        accept_as(invited(trio), trio.stranger)
        assert Membership.objects.get(space=trio.space, user=trio.stranger).role == "member"

    def test_a_member_does_not_use_up_an_invitation_nor_change_their_role_with_it(self, trio: Trio):
        secret = invited(trio, "auditor")
        with pytest.raises(Conflict):
            accept_as(secret, trio.owner)
        assert Membership.objects.get(space=trio.space, user=trio.owner).role == "owner"
        assert find(secret).used_at is None

    def test_it_works_once(self, trio: Trio):
        secret = invited(trio)
        accept(secret, **NEW)
        with pytest.raises(NotGood):
            accept_as(secret, trio.stranger)

    def test_used_expired_revoked_and_unknown_links_are_refused_in_the_same_words(self, trio: Trio):
        owner = person_caller(trio.owner)
        used, expired, revoked = (invited(trio) for _ in range(3))
        accept(used, **NEW)
        newest = open_invitations(trio.space)
        revoke(owner, trio.space, newest[0].pk)
        newest.filter(pk=newest[0].pk).update(expires_at=now() - timedelta(seconds=1))
        words = set()
        for secret in (used, expired, revoked, "no-such-secret", "\ud800", ""):
            with pytest.raises(NotGood) as refused:
                accept(secret, name="Sefa", email="sefa@example.test", password="hay hay paper hay")
            words.add((refused.value.status, refused.value.type, refused.value.detail))
        assert len(words) == 1
        assert not User.objects.filter(email="sefa@example.test").exists()

    def test_it_lasts_seven_days(self, trio: Trio):
        invitation, _ = invite(person_caller(trio.owner), trio.space, "member")
        assert timedelta(days=6, hours=23) < invitation.expires_at - now() <= timedelta(days=7)

    def test_one_for_an_address_is_good_for_that_address_alone(self, trio: Trio):
        secret = invited(trio, email="Sefa@Example.test")
        with pytest.raises(Invalid) as refused:
            accept(secret, **NEW)
        assert [error.field for error in refused.value.errors] == ["email"]
        with pytest.raises(Invalid):
            accept_as(secret, trio.stranger)
        assert accept(secret, **NEW | {"email": "SEFA@example.test"}).email == "sefa@example.test"

    @pytest.mark.parametrize(
        ("changed", "fields"),
        [
            ({"name": " \u200b "}, ["name"]),
            ({"name": "x" * 121}, ["name"]),
            ({"name": "Jun\0"}, ["name"]),
            ({"email": "nobody"}, ["email"]),
            ({"email": "a" * 250 + "@example.test"}, ["email"]),
            ({"password": "short"}, ["password"]),
            ({"password": "jun@example.test"}, ["password"]),
            ({"name": "", "email": "", "password": ""}, ["name", "email", "password"]),
        ],
    )
    def test_what_may_not_be_is_refused_by_name_and_leaves_the_link_good(self, trio: Trio, changed, fields):
        secret = invited(trio)
        with pytest.raises(Invalid) as refused:
            accept(secret, **NEW | changed)
        assert list(dict.fromkeys(error.field for error in refused.value.errors)) == fields
        assert accept(secret, **NEW)

    def test_a_taken_address_is_refused_and_leaves_the_link_good(self, trio: Trio):
        secret = invited(trio)
        with pytest.raises(Conflict) as refused:
            accept(secret, **NEW | {"email": trio.stranger.email.upper()})
        assert refused.value.errors[0].field == "email"
        assert accept(secret, **NEW)

    def test_only_owners_and_admins_invite_and_only_owners_invite_owners(self, trio: Trio):
        for person in (trio.teammate, trio.stranger):
            with pytest.raises(Forbidden):
                invite(person_caller(person), trio.space, "member")
        make_admin(trio)
        admin = person_caller(trio.teammate)
        with pytest.raises(Forbidden):
            invite(admin, trio.space, "owner")
        assert invite(admin, trio.space, "admin")
        of_owner, _ = invite(person_caller(trio.owner), trio.space, "owner")
        with pytest.raises(Forbidden):
            revoke(admin, trio.space, of_owner.pk)

    def test_an_invitation_of_another_space_cannot_be_taken_back_from_here(self, trio: Trio):
        elsewhere, _ = invite(person_caller(trio.stranger), trio.elsewhere, "member")
        with pytest.raises(Exception, match="no such open invitation"):
            revoke(person_caller(trio.owner), trio.space, elsewhere.pk)

    def test_a_member_is_not_invited_again(self, trio: Trio):
        with pytest.raises(Conflict):
            invited(trio, email=str(trio.teammate.email))

    def test_no_such_role(self, trio: Trio):
        with pytest.raises(Invalid):
            invited(trio, "emperor")

    def test_an_invitation_does_not_outlive_the_right_to_invite(self, trio: Trio):
        make_admin(trio)
        secrets = [secret_of(invite(person_caller(trio.teammate), trio.space, "member")[1]) for _ in range(2)]
        set_role(person_caller(trio.owner), trio.space, trio.teammate, "member")
        for secret in secrets:
            with pytest.raises(NotGood):
                find(secret)


@pytest.mark.django_db
class TestForAMemberWhoDoesNotSignIn:
    @pytest.fixture
    def silent(self, trio: Trio) -> User:
        person = User.objects.create_user(None, "Ottoline")
        Membership.objects.create(space=trio.space, user=person)
        return person

    def test_whoever_accepts_becomes_that_person(self, trio: Trio, silent: User):
        _, link = invite_to_sign_in(person_caller(trio.owner), trio.space, silent)
        assert accept(secret_of(link), **NEW).pk == silent.pk
        silent.refresh_from_db()
        assert (silent.email, silent.name) == ("jun@example.test", "Jun Hallowick")
        assert Membership.objects.get(user=silent).role == "member"

    def test_a_second_open_link_does_not_take_the_account_over(self, trio: Trio, silent: User):
        links = [invite_to_sign_in(person_caller(trio.owner), trio.space, silent)[1] for _ in range(2)]
        accept(secret_of(links[0]), **NEW)
        with pytest.raises(NotGood):
            accept(secret_of(links[1]), name="Eve", email="eve@example.test", password="hay hay paper hay")
        silent.refresh_from_db()
        assert silent.email == "jun@example.test"

    def test_somebody_signed_in_cannot_take_it(self, trio: Trio, silent: User):
        _, link = invite_to_sign_in(person_caller(trio.owner), trio.space, silent)
        with pytest.raises(Invalid):
            accept_as(secret_of(link), trio.stranger)

    def test_it_ends_when_the_person_is_removed(self, trio: Trio, silent: User):
        owner = person_caller(trio.owner)
        _, link = invite_to_sign_in(owner, trio.space, silent)
        remove_member(owner, trio.space, silent)
        with pytest.raises(NotGood):
            find(secret_of(link))

    def test_not_for_somebody_who_signs_in_nor_by_somebody_who_may_not(self, trio: Trio, silent: User):
        with pytest.raises(Conflict):
            invite_to_sign_in(person_caller(trio.owner), trio.space, trio.teammate)
        for person in (trio.teammate, trio.stranger):
            with pytest.raises(Forbidden):
                invite_to_sign_in(person_caller(person), trio.space, silent)


@pytest.mark.django_db
class TestTheOwnerLink:
    def test_it_makes_the_owner_of_the_instance_and_of_the_spaces_that_nobody_owns(self, trio: Trio, new_space):
        ownerless = new_space("demo")
        person = accept(owner_link(), **NEW)
        assert person.instance_role == "owner"
        assert [m.space for m in Membership.objects.filter(user=person, role="owner")] == [ownerless]
        assert [(row.stated["space"], row.stated["role"]) for row in acts("member.add")] == [("demo", "owner")]
        assert len(acts("instance.role")) == 1

    def test_a_member_of_such_a_space_becomes_its_owner(self, trio: Trio, new_space):
        ownerless = new_space("demo")
        Membership.objects.create(space=ownerless, user=trio.teammate)
        accept_as(owner_link(), trio.teammate)
        assert Membership.objects.get(space=ownerless).role == "owner"
        assert Membership.objects.get(space=trio.space, user=trio.teammate).role == "member"

    def test_a_new_one_ends_the_ones_before(self):
        first, second = owner_link(), owner_link()
        with pytest.raises(NotGood):
            find(first)
        assert find(second)

    def test_there_is_none_once_there_is_an_owner(self):
        link = owner_link()
        User.objects.create_user("boss@example.test", "Boss", instance_role="owner")
        assert owner_link() is None
        with pytest.raises(NotGood):
            accept(link, **NEW)

    def test_it_lasts_a_day(self):
        owner_link()
        assert timedelta(hours=23) < Invitation.objects.get().expires_at - now() <= timedelta(hours=24)

    def test_its_address_is_ours(self, settings):
        assert link_of("abc") == f"{settings.KNDL.origin}/join/abc"


@pytest.mark.parametrize("number", range(3))
def test_of_two_who_accept_at_once_one_is_in_and_the_other_reads_that_it_is_used(committed_db, new_space, number):
    owner = make_user("owner")
    space = new_space("north", owner=owner)
    secret = secret_of(invite(person_caller(owner), space, "member")[1])
    assert sorted(at_once(secret)) == ["in", "not good"]
    assert Membership.objects.filter(space=space, role="member").count() == 1
    assert User.objects.count() == 2


def test_of_two_owner_links_used_at_once_one_makes_the_owner(committed_db):
    first = owner_link()
    Invitation.objects.update(revoked_at=None)
    second = owner_link()
    Invitation.objects.update(revoked_at=None)
    assert sorted(at_once(first, second)) == ["in", "not good"]
    assert User.objects.filter(instance_role="owner").count() == 1
    assert User.objects.count() == 1


def at_once(*secrets: str) -> list[str]:
    """What becomes of two people who accept at the same moment."""
    start, said = threading.Barrier(2), []

    def join(number: int) -> None:
        start.wait()
        try:
            accept(secrets[number % len(secrets)], **NEW | {"email": f"jun{number}@example.test"})
            said.append("in")
        except NotGood:
            said.append("not good")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=join, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said


@pytest.mark.django_db
class TestThePage:
    def test_it_says_what_one_joins_and_as_whom_and_keeps_the_secret_to_itself(self, trio: Trio):
        answer = Client().get(f"/join/{invited(trio, 'auditor', 'jun@example.test')}")
        page = answer.content.decode()
        assert answer.status_code == 200
        assert "Join North" in page
        assert "Owner invites you" in page
        assert "auditor" in page
        assert 'value="jun@example.test"' in page
        assert answer["Cache-Control"] == "no-store"
        assert answer["Referrer-Policy"] == "strict-origin"

    def test_a_new_person_joins_and_is_signed_in_with_a_new_session_key(self, trio: Trio):
        client = Client()
        session = client.session
        session["before"] = True
        session.save()
        client.cookies["kndl_session"] = session.session_key
        answer = client.post(f"/join/{invited(trio)}", NEW)
        assert (answer.status_code, answer["Location"]) == (302, "/")
        assert client.session["_auth_user_id"] == str(User.objects.get(email=NEW["email"]).pk)
        assert client.session.session_key != session.session_key
        assert len(acts("account.sign_in")) == 1
        again = Client()
        again.post(SIGN_IN, {"login": NEW["email"], "password": NEW["password"]})
        assert "_auth_user_id" in again.session

    def test_the_first_owner_has_one_session_before_the_second_factor_is_forced(self, new_space):
        new_space("demo")
        client = Client()
        client.post(f"/join/{owner_link()}", NEW)
        assert client.get("/spaces/demo/people").status_code == 200
        assert client.session.get_expiry_age() <= 12 * 60 * 60
        client.post("/accounts/logout/")
        client.post(SIGN_IN, {"login": NEW["email"], "password": NEW["password"]})
        assert client.get("/spaces/demo/people")["Location"] == "/accounts/2fa/"

    def test_an_owner_by_invitation_has_none(self, trio: Trio):
        client = Client()
        client.post(f"/join/{invited(trio, 'owner')}", NEW)
        assert client.get("/spaces/north/people")["Location"] == "/accounts/2fa/"

    def test_somebody_signed_in_is_asked_whether_to_join_as_who_they_are(self, trio: Trio):
        Membership.objects.filter(user=trio.stranger).delete()
        client, secret = trio.client("stranger"), invited(trio)
        assert "Join as Stranger" in client.get(f"/join/{secret}").content.decode()
        assert not Membership.objects.filter(user=trio.stranger).exists()
        assert client.post(f"/join/{secret}")["Location"] == "/"
        assert Membership.objects.get(user=trio.stranger).space == trio.space

    def test_what_is_wrong_is_said_at_its_field(self, trio: Trio):
        answer = Client().post(f"/join/{invited(trio)}", NEW | {"password": "short"})
        assert answer.status_code == 400
        assert 'id="id_password_error"' in answer.content.decode()
        assert "short" not in answer.content.decode().partition("This password is too ")[0]

    def test_a_link_that_is_not_good_is_a_page_that_says_what_to_do_and_never_tells_why(self, trio: Trio):
        used = invited(trio)
        accept(used, **NEW)
        answers = [Client().get(f"/join/{secret}") for secret in (used, "no-such-secret")]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].content == answers[1].content
        assert "Ask for a new one" in answers[0].content.decode()
        assert answers[0]["Cache-Control"] == "no-store"

    def test_a_form_of_another_site_is_refused(self, trio: Trio):
        client = Client(enforce_csrf_checks=True)
        assert client.post(f"/join/{invited(trio)}", NEW).status_code == 403
        assert not User.objects.filter(email=NEW["email"]).exists()

    def test_the_link_is_shown_once_on_the_people_page(self, trio: Trio):
        client = governing_client(trio.owner)
        answer = client.post("/spaces/north/people/invite", {"role": "member", "email": "jun@example.test"})
        link = answer.context["made"]["link"]
        assert f'<code class="secret">{link}</code>' in answer.content.decode()
        assert answer["Cache-Control"] == "no-store"
        page = client.get("/spaces/north/people").content.decode()
        assert link not in page
        assert "jun@example.test" in page
        assert "jun@example.test" not in trio.client("teammate").get("/spaces/north/people").content.decode()

    def test_it_can_be_taken_back_there(self, trio: Trio):
        secret = invited(trio)
        address = f"/spaces/north/people/invitations/{Invitation.objects.get().pk}/take-back"
        assert trio.client("teammate").post(address).status_code == 403
        governing_client(trio.owner).post(address)
        with pytest.raises(NotGood):
            find(secret)
