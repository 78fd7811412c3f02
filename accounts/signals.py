"""What allauth and Django tell about sign-in, put on record."""

from typing import Any

from allauth.account import signals as account
from allauth.core import context
from allauth.mfa import signals as mfa
from allauth.mfa.models import Authenticator
from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import post_delete, post_save
from django.http import HttpRequest

from accounts import second_factor
from accounts.models import User
from audit.recording import NOBODY, SYSTEM, Actor, Entry, audited, refused


def connect() -> None:
    """Begin to listen."""
    user_logged_out.connect(_signed_out)
    account.authentication_step_completed.connect(_confirmed)
    account.email_added.connect(_email_added)
    account.email_changed.connect(_email_changed)
    account.email_removed.connect(_email_removed)
    # allauth tells of a new app when it is committed, which is too late to stand or fall with its audit row.
    post_save.connect(_factor_saved, sender=Authenticator)
    post_delete.connect(_factor_deleted, sender=Authenticator)
    mfa.authenticator_added.connect(_factor_added)
    mfa.authenticator_removed.connect(_factor_removed)
    mfa.authenticator_used.connect(_factor_used)
    mfa.authentication_failed.connect(_factor_failed)


def _record(actor: Actor, act_name: str, person: object, **stated: str) -> None:
    with audited("default") as act:
        act.entries.append(Entry(actor, act_name, f"person:{person}", stated={**stated}))


def _themselves(user: User) -> Actor:
    return Actor("person", str(user.pk))


def _whoever_asks() -> Actor:
    """The person of the request at hand; the system where there is none, as at the command line."""
    user = getattr(context.request, "user", None)
    return _themselves(user) if isinstance(user, User) else SYSTEM


def _signed_out(user: User | None, **_: Any) -> None:
    if user is not None:
        _record(_themselves(user), "account.sign_out", user.pk)


def _confirmed(user: User, method: str, reauthenticated: bool = False, **_: Any) -> None:
    if reauthenticated:
        _record(_themselves(user), "account.confirm", user.pk, by=method)


def _email_added(user: User, **_: Any) -> None:
    _record(_themselves(user), "account.email_add", user.pk)


def _email_changed(user: User, **_: Any) -> None:
    _record(_themselves(user), "account.email_change", user.pk)


def _email_removed(user: User, **_: Any) -> None:
    _record(_themselves(user), "account.email_remove", user.pk)


def _factor_saved(instance: Authenticator, created: bool, **_: Any) -> None:
    if created:
        _record(_whoever_asks(), "second_factor.add", instance.user_id, kind=str(instance.type))


def _factor_deleted(instance: Authenticator, **_: Any) -> None:
    _record(_whoever_asks(), "second_factor.remove", instance.user_id, kind=str(instance.type))


def _factor_added(request: HttpRequest, user: User, authenticator: Authenticator, **_: Any) -> None:
    if authenticator.type != Authenticator.Type.RECOVERY_CODES:
        second_factor.note_passed(request, user)


def _factor_removed(request: HttpRequest, **_: Any) -> None:
    second_factor.forget_passed(request)


def _factor_used(request: HttpRequest, user: User, **_: Any) -> None:
    second_factor.note_passed(request, user)


def _factor_failed(request: HttpRequest, user: User, authenticator: Authenticator | None = None, **_: Any) -> None:
    actor = _themselves(request.user) if isinstance(request.user, User) else NOBODY
    kind = str(authenticator.type) if authenticator else ""
    refused("default", actor, "account.second_factor", f"person:{user.pk}", kind=kind)
