"""`manage.py owner_link`: a new link that makes the owner of this instance."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from kndl_site.announcing import origin_of_running
from kndl_site.embedded import EmbeddedServerError
from kndl_site.running import database_ready
from spaces.invitations import link_of, owner_link


class Command(BaseCommand):
    help = "Prints a new link to become the owner of this instance, while there is none; earlier links end."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with database_ready():
                secret = owner_link()
        except EmbeddedServerError as error:
            raise CommandError(str(error)) from error
        if secret is None:
            raise CommandError("This instance has an owner. Owners and admins of its Spaces invite members.")
        self.stderr.write("It works once, for 24 hours. A link that was printed before no longer works.", str)
        self.stdout.write(link_of(secret, origin_of_running(settings.KNDL.data_dir) or settings.KNDL.origin))
