"""`manage.py seat_create`: a seat and its token, for scripts and first steps."""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from common.errors import KndlError, NotFound
from kndl_site.embedded import EmbeddedServerError
from kndl_site.running import database_ready
from seats.making import make_seat
from seats.models import Seat
from seats.surroundings import ASSISTANT, PROJECT
from seats.tokens import VERBS, parse_purposes, parse_verbs
from spaces.access import SYSTEM_CALLER
from spaces.making import make_space
from spaces.models import Space
from spaces.purposes import PURPOSES

# What a field is called at the command line, where the two differ.
_FLAGS = {"slug": "space", "name": "space", "new_scope": "new-scope"}


class Command(BaseCommand):
    help = "Makes a seat and prints its token, which is shown this once, as the last word."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--space", required=True, metavar="S", help="the Space's slug")
        parser.add_argument("--create", action="store_true", help="make the Space too, if it is new")
        parser.add_argument("--assistant", default="", metavar="A", help=f"the Assistant's name ({ASSISTANT})")
        parser.add_argument("--owner", default="", metavar="O", help="e-mail or name (the Space's owner)")
        parser.add_argument("--project", default="", metavar="P", help=f"the project's slug ({PROJECT})")
        parser.add_argument("--kind", default=Seat.Kind.ENGINE, help=" | ".join(Seat.Kind.values))
        parser.add_argument("--client", default=Seat.Client.CLAUDE, help=" | ".join(Seat.Client.values))
        parser.add_argument("--new-scope", action="store_true", help="a scope that nobody has used yet")
        parser.add_argument("--verbs", default=",".join(VERBS), metavar="a,b|all", help="what the token allows")
        parser.add_argument("--purposes", metavar="a,b|all", help="what the seat may act for (all, with --verbs all)")
        parser.add_argument("--reads-shared", action="store_true", help="reads the Space's shared scopes as well")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            verbs, purposes = _allowed(options["verbs"], options["purposes"])
            with database_ready():
                seat, token = make_seat(
                    SYSTEM_CALLER,
                    _space(options["space"], create=options["create"]),
                    assistant=options["assistant"],
                    owner=options["owner"],
                    project=options["project"],
                    kind=options["kind"],
                    client=options["client"],
                    verbs=verbs,
                    purposes=purposes,
                    reads_shared=options["reads_shared"],
                    new_scope=options["new_scope"],
                )
                said = f"{seat.name}: {seat.kind}, {seat.client}, scope {seat.scope.name}, project {seat.project.slug}"
        except KndlError as error:
            raise CommandError(_said(error)) from error
        except EmbeddedServerError as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"Made the seat {said} of Space {options['space']}. Its token, shown this once:", str)
        self.stdout.write(token)


def _allowed(verbs: str, purposes: str | None) -> tuple[list[str], list[str]]:
    """Verbs and purposes; whoever may do all acts for all purposes, unless some are named."""
    every = "all" in [part.strip() for part in verbs.split(",")]
    allowed = _parsed("--verbs", parse_verbs, verbs)
    if purposes is None:
        return allowed, list(PURPOSES) if every else []
    return allowed, _parsed("--purposes", parse_purposes, purposes)


def _parsed(flag: str, parse: Callable[[str], list[str]], given: str) -> list[str]:
    try:
        return parse(given)
    except ValueError as error:
        raise CommandError(f"{flag}: {error}") from error


def _space(slug: str, *, create: bool) -> Space:
    """The Space with this slug; with `create` a new one is made, for the owner of the instance if there is one."""
    space = Space.objects.filter(slug=slug).first()
    if space is None and create:
        owner = User.objects.filter(instance_role=User.InstanceRole.OWNER).first()
        return make_space(SYSTEM_CALLER, slug, slug, owner=owner)
    if space is None or space.state != Space.State.READY:
        raise NotFound(f"--space: there is no Space {slug}; --create makes it.")
    return space


def _said(error: KndlError) -> str:
    """The refusal with the flag it is about before it."""
    if not error.errors:
        return error.detail
    return "; ".join(f"--{_FLAGS.get(fault.field, fault.field)}: {fault.detail}" for fault in error.errors)
