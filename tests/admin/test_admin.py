"""Django's admin: control tables for those who govern the instance, a Space's memory for those who govern the Space."""

import re

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from accounts.models import User
from spaces.models import Invitation, Membership, Space
from tests.accounts.factors import give_app, governing_client
from tests.actors import Trio, make_seat_token, make_user
from tests.pages.reading import page_of
from tests.phi.markers import SAID, found_in, plant
from tests.phi.patients import SUBJECT, consent, stored_phi
from tests.rest.client import Rest, seat, stored

MEMORY = ("contradictions", "facts/fact:a/provenance", "phi")
TABLES = (
    "accounts/user", "audit/auditrow", "seats/seat", "seats/seattoken", "spaces/assistant", "spaces/heartbeat",
    "spaces/invitation", "spaces/membership", "spaces/operation", "spaces/project", "spaces/scope", "spaces/space",
)  # fmt: skip


@pytest.fixture
def governor(trio: Trio) -> Client:
    """An admin of the instance without a role in any Space."""
    user = make_user("governor")
    User.objects.filter(pk=user.pk).update(instance_role=User.InstanceRole.ADMIN)
    return governing_client(User.objects.get(pk=user.pk))


@pytest.fixture
def rest(trio: Trio) -> Rest:
    return seat(trio.space)


def in_space(path: str) -> str:
    return f"/admin/spaces/north/{path}?scope=shared"


@pytest.mark.parametrize("table", TABLES)
def test_each_control_table_can_be_looked_at_and_not_changed(governor: Client, trio: Trio, table: str):
    make_seat_token(trio.space)
    listed = governor.get(f"/admin/{table}/")
    assert listed.status_code == 200
    assert governor.get(f"/admin/{table}/add/").status_code == 403
    rows = re.findall(rf'href="(/admin/{table}/[^"]+/change/)', listed.content.decode())
    for address in rows[:1]:
        assert governor.get(address).status_code == 200
        assert governor.post(address, {"name": "other"}).status_code == 403
        assert governor.post(address.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403


def test_no_table_shows_a_secret_its_hash_or_a_password_of_a_server(governor: Client, trio: Trio):
    token = make_seat_token(trio.space)
    Space.objects.filter(pk=trio.elsewhere.pk).update(database_url="postgresql://u:tamarind@db.example/x")
    hashes = [trio.owner.password, *(bytes(one.secret_hash).hex() for one in Invitation.objects.all())]
    for table in TABLES:
        listed = governor.get(f"/admin/{table}/").content.decode()
        pages = [listed] + [
            governor.get(address).content.decode()
            for address in re.findall(rf'href="(/admin/{table}/[^"]+/change/)', listed)
        ]
        for page in pages:
            assert not [word for word in (token, "tamarind", "argon2", "secret_hash", *hashes) if word in page]
    assert "db.example" in governor.get("/admin/spaces/space/").content.decode()


@pytest.mark.parametrize("who", ["owner", "teammate", "stranger"])
def test_people_without_a_role_in_the_instance_have_no_control_tables(trio: Trio, who: str):
    client = governing_client(getattr(trio, who))
    assert client.get("/admin/", follow=True).status_code == 403
    assert client.get("/admin/accounts/user/", follow=True).status_code == 403


def test_nobody_is_sent_to_our_own_sign_in(trio: Trio):
    where = Client().get("/admin/accounts/user/", follow=True).redirect_chain[-1][0]
    assert where.startswith("/accounts/login/")


def test_a_second_factor_is_needed_even_where_the_pages_need_none(trio: Trio, settings):
    settings.KNDL = settings.KNDL.model_copy(update={"require_second_factor": False})
    User.objects.filter(pk=trio.owner.pk).update(instance_role=User.InstanceRole.OWNER)
    client = Client()
    client.force_login(User.objects.get(pk=trio.owner.pk))
    seat(trio.space).imported(stored("a"))
    assert client.get("/admin/", follow=True).redirect_chain[-1][0] == "/accounts/2fa/"
    for path in MEMORY:
        assert client.get(in_space(path)).status_code == 403

    give_app(trio.owner)
    assert client.get("/admin/").status_code == 200
    for path in MEMORY:
        assert client.get(in_space(path)).status_code == 200, path


@pytest.mark.parametrize("name", ["password_change", "password_change_done", "autocomplete", "view_on_site"])
def test_ways_that_go_past_sign_in_and_audit_are_not_there(name: str):
    with pytest.raises(NoReverseMatch):
        reverse(f"admin:{name}")


def test_a_role_of_the_instance_reads_no_memory(governor: Client, trio: Trio, rest: Rest):
    rest.imported(stored("a"))
    for path in MEMORY:
        assert governor.get(in_space(path)).status_code == 404
    assert "Spaces you govern" in governor.get("/admin/").content.decode()
    assert "north" not in governor.get("/admin/").content.decode()


@pytest.mark.parametrize(
    ("role", "seen"),
    [
        (Membership.Role.OWNER, (200, 200, 200)),
        (Membership.Role.ADMIN, (200, 200, 200)),
        (Membership.Role.AUDITOR, (200, 200, 200)),
        (Membership.Role.MEMBER, (403, 403, 403)),
        (None, (404, 404, 404)),
    ],
)
def test_a_spaces_memory_is_for_those_who_govern_it(trio: Trio, rest: Rest, role: str | None, seen: tuple[int, ...]):
    rest.imported(stored("a"))
    user = make_user("somebody")
    if role:
        Membership.objects.create(space=trio.space, user=user, role=role)
    client = governing_client(user)
    assert tuple(client.get(in_space(path)).status_code for path in MEMORY) == seen


def test_an_instance_admin_who_is_a_member_sees_what_a_member_sees(trio: Trio, rest: Rest):
    User.objects.filter(pk=trio.teammate.pk).update(instance_role=User.InstanceRole.ADMIN)
    client = governing_client(User.objects.get(pk=trio.teammate.pk))
    rest.imported(stored("a"))
    assert [client.get(in_space(path)).status_code for path in MEMORY] == [200, 200, 403]


def test_the_views_are_read_only(trio: Trio, rest: Rest):
    rest.imported(stored("a", subject="s", predicate="p", object=1), stored("b", subject="s", predicate="p", object=2))
    consent(rest)
    client = governing_client(trio.owner)
    for path in MEMORY:
        assert client.post(in_space(path), {}).status_code == 405
    inbox = page_of(client.get(in_space("contradictions")))
    assert "s, p" in inbox.text
    assert "Write the decision" not in inbox.text
    forms = re.findall(r'method="post"\s+action="([^"]+)"', inbox.html)
    assert forms == ["/spaces/north/purpose", "/accounts/logout/"]
    phi = page_of(client.get(in_space("phi")))
    assert SUBJECT in phi.text
    assert "Give a consent" not in phi.text


def test_the_same_gate_stands_before_phi(trio: Trio, rest: Rest):
    plant(rest)
    client = governing_client(trio.owner)
    said = set(SAID.values())
    for path in ("contradictions", "facts/fact:m2/provenance", "phi"):
        assert not found_in(client.get(in_space(path)).content) & said
    assert client.get(in_space("facts/fact:m2/provenance")).status_code == 404
    shown = client.get(in_space("facts/fact:m2/provenance") + "&purpose=treatment")
    assert found_in(shown.content) & said


def test_pending_consents_and_what_is_held_are_shown(trio: Trio, rest: Rest):
    rest.imported(stored_phi("a"))
    page = page_of(governing_client(trio.owner).get(in_space("phi")))
    assert page.rows[1][:3] == ["consent:c1", SUBJECT, "1"]
    assert "Record this consent" not in page.text


def test_the_policy_holds_there_as_everywhere(governor: Client):
    policy = governor.get("/admin/")["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    for address in ("/admin/", "/admin/accounts/user/", "/admin/audit/auditrow/"):
        html = governor.get(address).content.decode()
        assert not re.findall(r"<style|\sstyle=|<script(?![^>]*\bsrc=)(?![^>]*application/json)|\son[a-z]+=", html)
