"""What allauth and Django tell about sign-in, put on record."""

from typing import Any

from allauth.account import signals as account
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from django.contrib.auth.signals import user_logged_out
from django.http import HttpRequest

from accounts import second_factor
from accounts.models import User
from audit.recording import NOBODY, Actor, audited, refused


def connect() -> None:
    """Begin to listen."""
    user_logged_out.connect(_signed_out)
    account.authentication_step_completed.connect(_confirmed)
    account.email_added.connect(_email_added)
    account.email_changed.connect(_email_changed)
    account.email_removed.connect(_email_removed)
    mfa.authenticator_added.connect(_factor_added)
    mfa.authenticator_removed.connect(_factor_removed)
    mfa.authenticator_reset.connect(_factor_reset)
    mfa.authenticator_used.connect(_factor_used)
    mfa.authentication_failed.connect(_factor_failed)


def _record(user: User, act_name: str, **stated: object) -> None:
    with audited("default") as act:
        act.record(Actor("person", str(user.pk)), act_name, f"person:{user.pk}", **stated)


def _signed_out(user: User | None, **_: Any) -> None:
    if user is not None:
        _record(user, "account.sign_out")


def _confirmed(user: User, method: str, reauthenticated: bool = False, **_: Any) -> None:
    if reauthenticated:
        _record(user, "account.confirm", by=method)


def _email_added(user: User, **_: Any) -> None:
    _record(user, "account.email_add")


def _email_changed(user: User, **_: Any) -> None:
    _record(user, "account.email_change")


def _email_removed(user: User, **_: Any) -> None:
    _record(user, "account.email_remove")


def _factor_added(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    _record(user, "second_factor.add", kind=str(authenticator.type))
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        second_factor.note_passed(request, user)


def _factor_removed(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    _record(user, "second_factor.remove", kind=str(authenticator.type))
    second_factor.forget_passed(request)


def _factor_reset(user: User, authenticator: Authenticator, **_: Any) -> None:
    _record(user, "second_factor.reset", kind=str(authenticator.type))


def _factor_used(request: HttpRequest, user: User, **_: Any) -> None:
    second_factor.note_passed(request, user)


def _factor_failed(request: HttpRequest, user: User, authenticator: Authenticator | None = None, **_: Any) -> None:
    signed_in = isinstance(request.user, User)
    actor = Actor("person", str(request.user.pk)) if signed_in else NOBODY
    kind = str(authenticator.type) if authenticator else ""
    refused("default", actor, "account.second_factor", f"person:{user.pk}", kind=kind)
