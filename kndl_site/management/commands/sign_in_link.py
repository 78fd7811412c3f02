"""`manage.py sign_in_link`: a way back in for somebody who lost their password, or their second factor too."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.recovering import new_password_path
from common.errors import KndlError
from kndl_site.announcing import origin_of_running
from kndl_site.embedded import EmbeddedServerError
from kndl_site.running import database_ready


class Command(BaseCommand):
    help = "Prints a one-time link where a person chooses a new password. Kndl sends no mail: pass it on to them."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", metavar="EMAIL", help="the address the person signs in with")
        parser.add_argument(
            "--forget-second-factor",
            action="store_true",
            help="remove their authenticator app, keys and recovery codes, for somebody who lost those as well",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        forget = options["forget_second_factor"]
        try:
            with database_ready():
                path = new_password_path(options["email"], forget_second_factor=forget)
        except KndlError as error:
            raise CommandError(error.detail) from error
        except EmbeddedServerError as error:
            raise CommandError(str(error)) from error
        if forget:
            self.stderr.write("The second factor was removed.", str)
        self.stderr.write("It works once, for 24 hours, and ends when the person signs in without it.", str)
        self.stdout.write(f"{origin_of_running(settings.KNDL.data_dir) or settings.KNDL.origin}{path}")
