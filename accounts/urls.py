"""allauth's pages. Those that change how somebody signs in run in one transaction with their audit rows."""

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.urls import URLPattern, URLResolver, include, path

from accounts.pages import lost_password, told_to_wait

CHANGING = frozenset(
    {
        "account_email",
        "account_change_password",
        "account_set_password",
        "account_reset_password_from_key",
        "mfa_activate_totp",
        "mfa_deactivate_totp",
        "mfa_generate_recovery_codes",
        "mfa_add_webauthn",
        "mfa_edit_webauthn",
        "mfa_remove_webauthn",
    }
)

urlpatterns: list[URLPattern | URLResolver] = [
    # Before allauth's pages of the same names, which would send mail.
    path("password/reset/", lost_password, name="account_reset_password"),
    path("password/reset/done/", lost_password, name="account_reset_password_done"),
    path("", include("allauth.urls")),
]


def _leaves(patterns: Iterable[URLPattern | URLResolver]) -> Iterator[URLPattern]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _leaves(pattern.url_patterns)
        else:
            yield pattern


for _page in _leaves(urlpatterns):
    _page.callback = told_to_wait(_page.callback)
    if _page.name in CHANGING:
        _page.callback = transaction.atomic(using="default")(_page.callback)
