"""Becoming somebody who can sign in. Only an invitation leads here."""

from typing import Annotated

from allauth.account.models import EmailAddress
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.db import IntegrityError, transaction
from pydantic import Field

from accounts.models import User
from common.errors import Conflict, FieldError, Invalid
from common.strict import StrictModel, VisibleText, validated

LONGEST_NAME = 120
_LONGEST_EMAIL = 254
_check_email = EmailValidator("must be an e-mail address")


class _Named(StrictModel):
    name: Annotated[str, VisibleText(1, LONGEST_NAME), Field(description="How others see the person.")]


def checked_name(name: str) -> str:
    """`name` without the space around it. Raises Invalid."""
    return validated(_Named, {"name": name.strip()}).name


def checked_email(email: str) -> str:
    """`email` in the form that is kept. Raises Invalid."""
    email = email.strip().lower()
    try:
        _check_email(email)
    except ValidationError as error:
        raise Invalid(error.messages[0], field="email") from error
    if len(email) > _LONGEST_EMAIL:
        raise Invalid(f"must have {_LONGEST_EMAIL} characters at most", field="email")
    return email


def give_sign_in(person: User, *, name: str, email: str, password: str) -> User:
    """Let `person`, who may be new, sign in from now on; returns them saved.

    Runs in the caller's transaction. Raises Invalid naming each field at fault, and Conflict for a taken address.
    """
    faults: list[FieldError] = []
    try:
        person.name = checked_name(name)
    except Invalid as error:
        faults += error.errors
    try:
        person.email = checked_email(email)
    except Invalid as error:
        faults += error.errors
    try:
        validate_password(password, person)
    except ValidationError as error:
        faults += [FieldError("password", message) for message in error.messages]
    if faults:
        raise Invalid(errors=faults)
    person.set_password(password)
    try:
        with transaction.atomic(using="default"):
            person.save()
            # Whoever invited them vouches for the address; allauth sets up no second factor for an unverified one.
            EmailAddress.objects.create(user=person, email=person.email, primary=True, verified=True)
    except IntegrityError as error:
        raise Conflict("is taken. If it is yours, sign in and open the link again", field="email") from error
    return person
