"""A new way in for whoever lost their password or second factor. Kndl sends no mail: its operator passes a link on."""

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from django.urls import reverse

from accounts.models import User
from audit.recording import SYSTEM, audited
from common.errors import Conflict, NotFound


def new_password_path(email: str, *, forget_second_factor: bool = False) -> str:
    """The path of a page where the person with this address chooses a new password, once.

    It ends with the password that is set there, at their next sign-in, and after PASSWORD_RESET_TIMEOUT seconds.
    With `forget_second_factor` their app, keys and recovery codes are removed now. Raises NotFound for an address that
    nobody signs in with, and Conflict for somebody who may not sign in any more.
    """
    person = User.objects.filter(email__iexact=email.strip()).first()
    if person is None:
        raise NotFound(f"Nobody signs in with the address {email}.")
    if not person.is_active:
        raise Conflict(f"{person.name} may not sign in any more.")
    with audited("default") as act:
        act.record(SYSTEM, "account.link", f"person:{person.pk}", forgets_second_factor=forget_second_factor)
        if forget_second_factor:
            Authenticator.objects.filter(user=person).delete()  # each is put on record by accounts.signals
        key = default_token_generator.make_token(person)
    return reverse("account_reset_password_from_key", args=[user_pk_to_url_str(person), key])
