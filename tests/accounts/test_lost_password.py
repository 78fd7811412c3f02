"""A way back in for whoever lost their password or second factor. Kndl sends no mail."""

from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from kndl_site.announcing import announced
from tests.accounts.factors import SIGN_IN, give_app
from tests.actors import PASSWORD, make_user

NEW = "another long password"


@pytest.fixture(autouse=True)
def _no_tries_yet():
    cache.clear()


@pytest.fixture
def person(committed_db) -> User:
    return make_user("mirel")


def sign_in_link(*words: str) -> str:
    out = StringIO()
    call_command("sign_in_link", *words, stdout=out, stderr=StringIO())
    (link,) = out.getvalue().split()
    return link


def choose(link: str, password: str = NEW, client: Client | None = None):
    """Open the link and choose a password; the answer to that."""
    client = client or Client()
    page = client.get(urlsplit(link).path, follow=True)
    if "no longer works" in page.content.decode():
        return page
    return client.post(page.request["PATH_INFO"], {"password1": password, "password2": password}, follow=True)


def signs_in(password: str) -> bool:
    client = Client()
    client.post(SIGN_IN, {"login": "mirel@example.test", "password": password})
    return "_auth_user_id" in client.session


def test_the_page_of_a_lost_password_says_that_no_mail_comes_and_asks_for_nothing(person):
    for address in ("/accounts/password/reset/", "/accounts/password/reset/done/"):
        page = Client().get(address)
        assert page.status_code == 200
        assert "Kndl sends no mail. Ask whoever runs this instance for a new sign-in link." in page.content.decode()
        assert "<form" not in page.content.decode()
        assert Client().post(address, {"email": person.email}).status_code == 405
    assert "Kndl sends no mail" in Client().get(SIGN_IN).content.decode()


def test_a_link_sets_a_new_password_once(person):
    link = sign_in_link("Mirel@example.test")
    assert link.startswith("http://localhost:8000/accounts/password/reset/key/")
    assert "Your password is changed" in choose(link).content.decode()
    assert not signs_in(PASSWORD)
    assert signs_in(NEW)
    again = choose(link, "yet another password")
    assert "This link no longer works" in again.content.decode()
    assert "Ask whoever runs this instance for a new one." in again.content.decode()
    assert signs_in(NEW)


def test_a_link_of_the_day_before_yesterday_no_longer_works(person, monkeypatch):
    link = sign_in_link("mirel@example.test")
    monkeypatch.setattr("django.conf.settings.PASSWORD_RESET_TIMEOUT", -1)
    assert "no longer works" in choose(link).content.decode()
    assert signs_in(PASSWORD)


def test_the_link_ends_the_lock_after_too_many_tries(person):
    for _ in range(6):
        Client(REMOTE_ADDR="192.0.2.1").post(SIGN_IN, {"login": person.email, "password": "wrong"})
    assert not signs_in(PASSWORD)
    choose(sign_in_link("mirel@example.test"))
    assert signs_in(NEW)


def test_the_second_factor_is_still_asked_for(person):
    give_app(person)
    choose(sign_in_link("mirel@example.test"))
    client = Client()
    answer = client.post(SIGN_IN, {"login": person.email, "password": NEW})
    assert answer["Location"].startswith("/accounts/2fa/authenticate/")


def test_it_is_forgotten_where_that_is_asked_and_both_are_on_record(person):
    give_app(person)
    before = AuditRow.objects.using("default").count()
    choose(sign_in_link("mirel@example.test", "--forget-second-factor"))
    assert not Authenticator.objects.exists()
    assert signs_in(NEW)
    rows = AuditRow.objects.using("default").filter(actor_kind="system", sequence__gt=before)
    assert {(row.act, row.object, str(row.stated)) for row in rows} == {
        ("account.link", f"person:{person.pk}", "{'forgets_second_factor': True}"),
        ("second_factor.remove", f"person:{person.pk}", "{'kind': 'totp'}"),
    }


def test_the_link_itself_is_not_on_record(person):
    link = sign_in_link("mirel@example.test")
    (row,) = AuditRow.objects.using("default").filter(act="account.link")
    assert row.stated == {"forgets_second_factor": False}
    assert link.rstrip("/").rpartition("-")[2] not in str(vars(row))


@pytest.mark.parametrize("email", ["nobody@example.test", "mirel", ""])
def test_an_address_that_nobody_signs_in_with_is_an_error(person, email):
    with pytest.raises(CommandError, match="Nobody signs in with the address"):
        sign_in_link(email)
    assert not AuditRow.objects.using("default").exists()


def test_whoever_may_not_act_any_more_gets_no_link(person):
    User.objects.update(is_active=False)
    with pytest.raises(CommandError, match="may not sign in any more"):
        sign_in_link("mirel@example.test")


def test_the_link_leads_to_the_up_that_runs_on_the_folder(person, data_dir: Path):
    with announced(data_dir, "http://localhost:8123"):
        assert sign_in_link("mirel@example.test").startswith("http://localhost:8123/accounts/")
    assert sign_in_link("mirel@example.test").startswith("http://localhost:8000/accounts/")


def test_no_mail_leaves():
    from kndl_site import settings as ours

    assert ours.EMAIL_BACKEND == "django.core.mail.backends.dummy.EmailBackend"
