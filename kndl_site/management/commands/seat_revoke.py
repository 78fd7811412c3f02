"""`manage.py seat_revoke`: ends a seat's token, also while its Space is out of reach."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.errors import KndlError
from common.times import now
from kndl_site.embedded import EmbeddedServerError
from kndl_site.running import database_ready
from seats.making import find_token, revoke_token
from spaces.access import SYSTEM_CALLER


class Command(BaseCommand):
    help = "Ends a token: it is refused from the next request on."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("token", metavar="TOKEN_OR_HINT", help="the token, or its beginning")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with database_ready():
                token = find_token(options["token"])
                ended = not token.is_valid(now())
                if not ended:
                    revoke_token(SYSTEM_CALLER, token)
                whose = f"{token} of the seat {token.seat.name} in Space {token.seat.space.slug}"
        except KndlError as error:
            raise CommandError(error.detail) from error
        except EmbeddedServerError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"The token {whose} {'had ended before' if ended else 'was revoked'}.")
