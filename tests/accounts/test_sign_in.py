"""Signing in: by invitation only, with limits that no header resets, and on record."""

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from audit.verifying import first_fault
from tests.accounts.factors import SIGN_IN, code_of, give_app
from tests.actors import PASSWORD, Trio, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_tries_yet():
    cache.clear()


@pytest.fixture
def person() -> User:
    return make_user("mirel")


def sign_in(client: Client, password: str = PASSWORD, email: str = "mirel@example.test", **headers: str):
    return client.post(SIGN_IN, {"login": email, "password": password}, headers=headers or None)


def rows(act: str, outcome: str = "done") -> list[AuditRow]:
    return list(AuditRow.objects.using("default").filter(act=act, outcome=outcome).order_by("sequence"))


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_a_person_signs_in_and_out_with_a_new_session_key_and_both_are_on_record(person):
    client = Client()
    client.get(SIGN_IN)
    session = client.session
    session["before"] = True
    session.save()
    client.cookies["kndl_session"] = session.session_key
    assert sign_in(client).status_code == 302
    assert is_signed_in(client)
    assert client.session.session_key != session.session_key
    client.post("/accounts/logout/")
    assert not is_signed_in(client)
    (signed_in,), (signed_out,) = rows("account.sign_in"), rows("account.sign_out")
    assert (signed_in.actor_id, signed_in.object, signed_in.stated) == (
        str(person.pk),
        f"person:{person.pk}",
        {"by": ["password"]},
    )
    assert signed_out.actor_id == str(person.pk)
    assert first_fault("default") is None


def test_nobody_signs_up_by_themselves():
    page = Client().get("/accounts/signup/")
    assert b"Members come by invitation" in page.content
    Client().post("/accounts/signup/", {"email": "new@example.test", "password1": PASSWORD, "password2": PASSWORD})
    assert not User.objects.exists()


def test_a_wrong_password_of_somebody_known_is_on_record_without_the_address(person):
    client = Client()
    assert sign_in(client, "not the password").status_code == 200
    assert not is_signed_in(client)
    (row,) = rows("account.sign_in", "refused")
    assert (row.actor_kind, row.object) == ("nobody", f"person:{person.pk}")
    assert person.email not in str(vars(row))


def test_guesses_at_unknown_addresses_do_not_fill_the_audit(person):
    for number in range(4):
        sign_in(Client(), email=f"guess{number}@example.test")
    assert not AuditRow.objects.using("default").exists()


def test_known_and_unknown_addresses_are_refused_in_the_same_words(person):
    known, unknown = sign_in(Client(), "not the password"), sign_in(Client(), email="guess@example.test")
    said = "There is no such pair of e-mail address and password."
    assert said in known.content.decode()
    assert said in unknown.content.decode()


def test_bi_047_twenty_wrong_passwords_lock_the_account_and_a_forged_header_does_not_reset_the_count(person):
    for number in range(20):
        sign_in(Client(), "not the password", **{"X-Forwarded-For": f"203.0.113.{number}"})
    client = Client()
    answer = sign_in(client, **{"X-Forwarded-For": "198.51.100.7"})
    assert not is_signed_in(client)
    assert answer.status_code == 429 or "Too many failed login attempts" in answer.content.decode()
    assert len(rows("account.sign_in", "refused")) == 5, "the documented five tries, and no row for the locked ones"


def test_another_host_or_port_in_the_host_header_does_not_reset_the_count_of_an_account(person):
    for number, host in enumerate(["localhost", "localhost:1", "127.0.0.1", "127.0.0.1:2", "localhost:3"]):
        sign_in_from(number, host, "not the password")
    assert not is_signed_in(sign_in_from(9, "localhost:4", PASSWORD))


def sign_in_from(number: int, host: str, password: str) -> Client:
    client = Client(REMOTE_ADDR=f"192.0.2.{number}")
    client.post(SIGN_IN, {"login": "Mirel@Example.test", "password": password}, headers={"Host": host})
    return client


def test_the_lock_of_one_account_leaves_the_others_alone(trio: Trio):
    for number in range(6):
        Client(REMOTE_ADDR=f"192.0.2.{number}").post(SIGN_IN, {"login": trio.owner.email, "password": "wrong"})
    for someone in (trio.teammate, trio.stranger):
        client = Client(REMOTE_ADDR="192.0.2.99")
        sign_in(client, email=str(someone.email))
        assert is_signed_in(client)


def test_one_network_may_not_try_many_accounts():
    people = [make_user(f"person{number}") for number in range(12)]
    for someone in people[:11]:
        sign_in(Client(), "not the password", email=str(someone.email))
    client = Client()
    sign_in(client, email=str(people[11].email))
    assert not is_signed_in(client)


def test_bi_049_a_host_that_is_not_ours_is_refused():
    answer = Client().get(SIGN_IN, headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert b"evil.example" not in answer.content


def test_with_an_app_the_password_alone_signs_nobody_in(person):
    secret = give_app(person)
    client = Client()
    assert sign_in(client)["Location"].startswith("/accounts/2fa/authenticate/")
    assert not is_signed_in(client)
    wrong = "000000" if code_of(secret) != "000000" else "000001"
    client.post("/accounts/2fa/authenticate/", {"code": wrong})
    assert not is_signed_in(client)
    client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert is_signed_in(client)
    assert [row.object for row in rows("account.second_factor", "refused")] == [f"person:{person.pk}"]
    assert rows("account.sign_in")[0].stated == {"by": ["mfa", "password"]}


def test_a_changed_password_ends_the_other_sessions_and_is_on_record(person):
    here, elsewhere = Client(), Client()
    sign_in(here)
    sign_in(elsewhere)
    new = "another long password"
    here.post("/accounts/password/change/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert elsewhere.get("/accounts/2fa/").status_code == 302
    assert len(rows("account.password")) == 1
    assert is_signed_in_with(new)


def is_signed_in_with(password: str) -> bool:
    client = Client()
    sign_in(client, password)
    return is_signed_in(client)


def test_proving_again_that_it_is_you_is_on_record_whether_it_succeeds_or_not(person):
    client = Client()
    sign_in(client)
    client.post("/accounts/reauthenticate/", {"password": "not the password"})
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert [row.actor_id for row in rows("account.confirm", "refused")] == [str(person.pk)]
    assert [row.stated for row in rows("account.confirm")] == [{"by": "password"}]


def test_no_audit_row_no_sign_in(person, settings):
    settings.KNDL_ROOT_KEY = None
    client = Client(raise_request_exception=False)
    assert sign_in(client).status_code == 500
    assert not is_signed_in(client)


def test_no_audit_row_no_second_factor(person, settings):
    client = Client(raise_request_exception=False)
    sign_in(client)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    EmailAddress.objects.create(user=person, email=person.email, primary=True, verified=True)
    client.get("/accounts/2fa/totp/activate/")
    secret = client.session["mfa.totp.secret"]
    settings.KNDL_ROOT_KEY = None
    assert client.post("/accounts/2fa/totp/activate/", {"code": code_of(secret)}).status_code == 500
    assert not person.authenticator_set.exists()


def test_a_person_who_may_not_act_any_more_is_not_signed_in(person):
    User.objects.update(is_active=False)
    client = Client()
    sign_in(client)
    assert not is_signed_in(client)
