"""Second factors for tests: an authenticator app that is in our hands."""

import time

from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.test import Client

from accounts.models import User
from tests.actors import PASSWORD

SIGN_IN = "/accounts/login/"


def give_app(user: User) -> str:
    """Set up an authenticator app for `user`; returns its secret."""
    secret: str = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret


def code_of(secret: str) -> str:
    """The six digits that the app shows now."""
    code: str = format_hotp_value(hotp_value(secret, int(time.time()) // 30))
    return code


def governing_client(user: User) -> Client:
    """A browser in which `user`, who has an app, is signed in and has just proved that it is them."""
    give_app(user)
    client = Client()
    client.force_login(user)
    confirmed = client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert confirmed.status_code == 302
    return client
