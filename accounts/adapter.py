"""How allauth works here: by invitation only, with limits that no header resets, and on record."""

from typing import Any, ClassVar

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.core import context
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.models import User
from audit.recording import NOBODY, Actor, audited, refused

log = structlog.get_logger()
_LOCKED_OUT = "kndl_locked_out"


def display_name(user: User) -> str:
    """How a person is called on allauth's pages."""
    return user.name


def was_locked_out(request: HttpRequest) -> bool:
    """Whether `request` was refused because there had been too many tries before it."""
    return hasattr(request, _LOCKED_OUT)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Sign-in and passwords; each act and its audit row are one transaction."""

    error_messages: ClassVar[dict[str, Any]] = DefaultAccountAdapter.error_messages | {
        "cannot_remove_primary_email": "This is your primary e-mail address: make another one primary first.",
        "duplicate_email": "You have this e-mail address already.",
        "email_password_mismatch": "There is no such pair of e-mail address and password.",
        "email_taken": "Somebody signs in with this e-mail address already.",
        "max_email_addresses": "You can have %d e-mail addresses at most.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Members come by invitation."""
        return False

    def login(self, request: HttpRequest, user: User) -> None:
        """Sign `user` in, on record with the methods they proved themselves by."""
        by = sorted({str(record["method"]) for record in get_authentication_records(request, user)})
        with audited("default") as act:
            super().login(request, user)
            act.record(Actor("person", str(user.pk)), "account.sign_in", f"person:{user.pk}", by=by)

    def set_password(self, user: User, password: str) -> None:
        """Set a new password, on record."""
        with audited("default") as act:
            super().set_password(user, password)
            act.record(Actor("person", str(user.pk)), "account.password", f"person:{user.pk}")

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Record a wrong password for somebody we know.

        A guessed address is only logged, without the address: strangers could fill the audit with their guesses. For a
        known one the limit of tries bounds the rows.
        """
        known = User.objects.filter(email=str(credentials.get("email", "")).lower()).first()
        if known is None:
            log.warning("sign_in_of_nobody_known", address=self.get_client_ip(request))
            return
        signed_in = isinstance(request.user, User)
        actor = Actor("person", str(request.user.pk)) if signed_in else NOBODY
        refused("default", actor, "account.confirm" if signed_in else "account.sign_in", f"person:{known.pk}")

    def validation_error(self, code: str, *args: Any) -> ValidationError:
        """What a form says; too many tries are noted on the request as well, for the status of its answer."""
        if code == "too_many_login_attempts" and context.request is not None:
            setattr(context.request, _LOCKED_OUT, True)
        error: ValidationError = super().validation_error(code, *args)
        return error

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        # allauth's own key holds the Host header with its port, which whoever tries passwords may vary at will.
        return str(credentials.get("email", "")).lower()
