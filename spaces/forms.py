"""The forms of joining, of people and of a new Space; what may be is checked where it is done."""

import zoneinfo
from typing import Any

from django import forms

from accounts.models import User
from common.errors import KndlError
from spaces.models import Membership


def say_errors(form: forms.Form, error: KndlError) -> None:
    """Show what a function refused at the field it named, or above the form."""
    for fault in error.errors:
        detail = fault.detail[:1].upper() + fault.detail[1:]
        form.add_error(fault.field if fault.field in form.fields else None, detail.rstrip(".") + ".")
    if not error.errors:
        form.add_error(None, error.detail)


class JoinForm(forms.Form):
    """What somebody new says of themselves."""

    name = forms.CharField(max_length=120, widget=forms.TextInput(attrs={"autocomplete": "name"}))
    email = forms.EmailField(
        label="E-mail",
        max_length=254,
        help_text="You sign in with it. No mail is sent now.",
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )
    password = forms.CharField(
        strip=False,
        max_length=1_000,
        help_text="At least 12 characters, and no common word alone.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class InviteForm(forms.Form):
    """Whom to invite, and as what."""

    role = forms.ChoiceField(help_text="Owners, admins and auditors need a second factor.")
    email = forms.EmailField(
        label="E-mail",
        required=False,
        max_length=254,
        help_text="With one, only this address can use the link. No mail is sent: you pass the link on.",
    )

    def __init__(self, *args: Any, roles: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(role, role) for role in roles]
        field.initial = Membership.Role.MEMBER


class SpaceForm(forms.Form):
    """A new Space."""

    name = forms.CharField(max_length=120)
    slug = forms.CharField(
        label="Short name",
        max_length=48,
        help_text="For addresses and commands: lower-case letters, digits and hyphens. It stays as it is.",
    )
    zone = forms.ChoiceField(label="Zone", initial="UTC", help_text="Dates are shown in it.")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["zone"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(zone, zone) for zone in sorted(zoneinfo.available_timezones())]


def roles_to_give(own: str | None) -> list[str]:
    """The roles that somebody with the role `own` may give, the mildest first."""
    given = [Membership.Role.MEMBER, Membership.Role.AUDITOR, Membership.Role.ADMIN, Membership.Role.OWNER]
    return [str(role) for role in given if own == Membership.Role.OWNER or role != Membership.Role.OWNER]


def may_make_spaces(user: User) -> bool:
    """Whether somebody may make Spaces: the owner and the admins of the instance."""
    return user.governs_instance
