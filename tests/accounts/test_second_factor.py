"""Roles that govern need a second factor."""

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.governing import governing, governing_without_second_factor
from accounts.models import User
from audit.models import AuditRow
from spaces.models import Membership
from tests.accounts.factors import SIGN_IN, code_of, give_app
from tests.actors import PASSWORD, Trio, make_user

pytestmark = pytest.mark.django_db
SET_UP = "/accounts/2fa/"


@pytest.fixture(autouse=True)
def _no_tries_yet():
    cache.clear()


def people_page(trio: Trio) -> str:
    return f"/spaces/{trio.space.slug}/people"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_an_owner_without_one_is_sent_to_set_it_up_and_told_why(trio: Trio):
    answer = signed_in(trio.owner).get(people_page(trio), follow=True)
    assert answer.redirect_chain == [(SET_UP, 302)]
    assert "roles that govern need a second factor" in answer.content.decode()
    assert "all other pages stay shut until you have set one up here" in answer.content.decode()


def test_whoever_may_go_elsewhere_is_not_told_that_pages_are_shut(trio: Trio):
    page = signed_in(trio.teammate).get(SET_UP).content.decode()
    assert "You have no second factor." in page
    assert "stay shut" not in page


def test_a_member_needs_none(trio: Trio):
    assert signed_in(trio.teammate).get(people_page(trio)).status_code == 200


def test_a_stranger_who_owns_another_space_is_sent_too_and_learns_nothing_of_this_one(trio: Trio):
    client = signed_in(trio.stranger)
    assert client.get(people_page(trio))["Location"] == client.get("/spaces/nowhere/people")["Location"] == SET_UP


@pytest.mark.parametrize("role", [Membership.Role.OWNER, Membership.Role.ADMIN, Membership.Role.AUDITOR])
def test_each_governing_role_of_a_space_needs_one(trio: Trio, role):
    Membership.objects.filter(user=trio.teammate).update(role=role)
    assert signed_in(trio.teammate).get(people_page(trio))["Location"] == SET_UP


@pytest.mark.parametrize("role", [User.InstanceRole.OWNER, User.InstanceRole.ADMIN])
def test_each_role_of_the_instance_needs_one(trio: Trio, role):
    User.objects.filter(pk=trio.teammate.pk).update(instance_role=role)
    assert signed_in(trio.teammate).get(people_page(trio))["Location"] == SET_UP


def test_with_an_app_everything_opens(trio: Trio):
    give_app(trio.owner)
    assert signed_in(trio.owner).get(people_page(trio)).status_code == 200


def test_recovery_codes_alone_are_none(trio: Trio):
    Authenticator.objects.create(user=trio.owner, type=Authenticator.Type.RECOVERY_CODES, data={})
    assert signed_in(trio.owner).get(people_page(trio))["Location"] == SET_UP


def test_a_form_is_not_acted_upon_either(trio: Trio):
    signed_in(trio.owner).post(f"{people_page(trio)}/{trio.teammate.pk}/role", {"role": "admin"})
    assert Membership.objects.get(user=trio.teammate).role == "member"


def test_rest_with_a_session_is_refused_by_a_problem_that_says_so(trio: Trio):
    answer = signed_in(trio.owner).get(f"/api/v1/spaces/{trio.space.slug}/facts", {"scope": "shared"})
    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "second_factor_required"


def test_a_page_that_htmx_asks_for_leaves_the_page_as_a_whole(trio: Trio):
    answer = signed_in(trio.owner).get(people_page(trio), headers={"HX-Request": "true"})
    assert answer["HX-Redirect"] == SET_UP


def test_a_seat_needs_none(trio: Trio, api: Client):
    assert api.get("/api/v1/seat").status_code == 200


@pytest.mark.parametrize("page", [SET_UP, "/accounts/password/change/", "/healthz", "/accounts/logout/"])
def test_the_pages_of_sign_in_stay_open(trio: Trio, page):
    assert signed_in(trio.owner).get(page).status_code == 200


def test_the_one_switch_turns_it_off(trio: Trio, settings):
    settings.KNDL = settings.KNDL.model_copy(update={"require_second_factor": False})
    assert signed_in(trio.owner).get(people_page(trio)).status_code == 200


def test_it_costs_one_query_and_none_after_it_was_proved_in_this_session(trio: Trio):
    def asked(client: Client) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(people_page(trio)).status_code == 200
        return sum("mfa_authenticator" in query["sql"] for query in queries)

    secret = give_app(trio.owner)
    before = signed_in(trio.owner)
    assert asked(before) == 1
    after = Client()
    after.post(SIGN_IN, {"login": trio.owner.email, "password": PASSWORD})
    after.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert asked(after) == 0


def test_setting_up_an_app_opens_everything_and_taking_it_away_closes_it_again(
    trio: Trio, django_capture_on_commit_callbacks
):
    EmailAddress.objects.create(user=trio.owner, email=trio.owner.email, primary=True, verified=True)
    client = signed_in(trio.owner)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.get("/accounts/2fa/totp/activate/")
    with django_capture_on_commit_callbacks(execute=True):
        client.post("/accounts/2fa/totp/activate/", {"code": code_of(client.session["mfa.totp.secret"])})
    assert client.get(people_page(trio)).status_code == 200
    client.post("/accounts/2fa/totp/deactivate/")
    assert client.get(people_page(trio))["Location"] == SET_UP
    acts = AuditRow.objects.using("default").filter(act__startswith="second_factor.").order_by("sequence")
    assert [(row.act, row.stated["kind"], row.actor_id) for row in acts] == [
        ("second_factor.add", "totp", str(trio.owner.pk)),
        ("second_factor.add", "recovery_codes", str(trio.owner.pk)),
        ("second_factor.remove", "totp", str(trio.owner.pk)),
        ("second_factor.remove", "recovery_codes", str(trio.owner.pk)),
    ]


def test_who_governs_is_said_by_the_rooms(trio: Trio):
    admin = User.objects.create_user("admin@example.test", "Admin", instance_role=User.InstanceRole.ADMIN)
    make_user("nobody")
    assert set(governing()) == {trio.owner, trio.stranger, admin}
    give_app(trio.stranger)
    assert set(governing_without_second_factor()) == {trio.owner, admin}
