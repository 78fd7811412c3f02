"""What `manage.py check --deploy` says beyond Django's own checks."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

from kndl_site.databases import owner_credentials


@register(Tags.security, deploy=True)
def two_roles(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Facts and audit rows are safe from the application only where another role owns them."""
    if owner_credentials(settings.KNDL)["USER"] != settings.DATABASES["default"]["USER"]:
        return []
    return [
        Warning(
            "One role both owns the tables and runs the application: it could switch off what keeps facts and audit"
            " rows as they are.",
            hint="Name the owner's role in KNDL_OWNER_DATABASE_URL and another one in KNDL_DATABASE_URL.",
            id="kndl.W001",
        )
    ]


@register(Tags.security, deploy=True)
def second_factor_required(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Roles that govern should need a second factor."""
    if settings.KNDL.require_second_factor:
        return []
    hint = "Remove KNDL_REQUIRE_SECOND_FACTOR."
    return [Warning("Roles that govern need no second factor.", hint=hint, id="kndl.W002")]
