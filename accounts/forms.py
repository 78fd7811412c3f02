"""allauth's forms in our words."""

from typing import Any

from allauth.account.forms import AddEmailForm, LoginForm

_NAMES = ("login", "email")


class _Spelt:
    """Says "E-mail" where allauth says "Email"; a placeholder would only repeat it."""

    fields: dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in _NAMES:
            if name in self.fields:
                self.fields[name].label = "E-mail"
                self.fields[name].widget.attrs.pop("placeholder", None)


class SignInForm(_Spelt, LoginForm):  # type: ignore[misc]  # allauth has no types
    """Address and password."""


class NewAddressForm(_Spelt, AddEmailForm):  # type: ignore[misc]
    """An address to be confirmed."""
