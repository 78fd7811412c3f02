"""`common` has no models; it is an installed app for its template tags."""

from django.apps import AppConfig


class CommonConfig(AppConfig):
    """What every room may use."""

    name = "common"
    label = "common"
