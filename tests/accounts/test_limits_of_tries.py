"""Too many tries are answered with 429 and with when to come back, and the numbers are those of the documentation."""

import re

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client

from tests.accounts.factors import SIGN_IN, code_of, give_app
from tests.actors import PASSWORD, make_user
from tests.instances import ROOT

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_tries_yet():
    cache.clear()


def tried(client: Client, password: str, email: str = "mirel@example.test"):
    return client.post(SIGN_IN, {"login": email, "password": password})


def test_the_sixth_try_of_an_account_is_told_to_wait_and_shows_the_form():
    make_user("mirel")
    answers = [tried(Client(), "wrong") for _ in range(5)] + [tried(Client(), PASSWORD)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert answers[-1]["Retry-After"] == "900"
    assert "Too many failed login attempts" in answers[-1].content.decode()
    assert "Retry-After" not in answers[0]


def test_the_thirty_first_sign_in_of_a_network_in_a_minute_is_told_to_wait():
    make_user("mirel")
    answers = [tried(Client(), PASSWORD) for _ in range(31)]
    assert {answer.status_code for answer in answers[:30]} == {302}
    assert answers[30].status_code == 429
    assert int(answers[30]["Retry-After"]) > 0


def test_too_many_codes_are_told_to_wait_too():
    secret = give_app(make_user("mirel"))
    client = Client()
    tried(client, PASSWORD)
    wrong = "000000" if code_of(secret) != "000000" else "000001"
    statuses = [client.post("/accounts/2fa/authenticate/", {"code": wrong}).status_code for _ in range(6)]
    assert statuses == [200] * 5 + [429]


def test_the_documented_numbers_are_the_ones_in_force():
    documented = (ROOT / "docs" / "operations.md").read_text("utf-8")
    table = documented.partition("## Tries to sign in")[2].partition("##")[0]
    in_force = {rate for rates in settings.ACCOUNT_RATE_LIMITS.values() for rate in rates.split(",")}
    assert set(re.findall(r"`(\d+/\w+/\w+)`", table)) == in_force
