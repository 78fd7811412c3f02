"""`manage.py up`: everything in one process."""

import signal
import socket
from argparse import ArgumentParser
from contextlib import ExitStack, suppress
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from common.version import VERSION
from kndl_site.announcing import announced
from kndl_site.background import accompanied, background
from kndl_site.embedded import AlreadyRunning, EmbeddedServerError, sole_runner
from kndl_site.running import database_ready
from kndl_site.server import Server
from kndl_site.watching import kept_running
from spaces.invitations import link_of, owner_link


class Command(BaseCommand):
    help = "Runs Kndl: PostgreSQL, web, worker and beat in one process. Ctrl-C or SIGTERM ends it cleanly."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="make the sample Space, if it is not there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        signal.signal(signal.SIGTERM, _stop)
        with suppress(KeyboardInterrupt):
            self._run(demo=options["demo"])

    def _run(self, *, demo: bool) -> None:
        configuration = settings.KNDL
        with ExitStack() as stack:
            try:
                stack.enter_context(sole_runner(configuration.data_dir))
            except (AlreadyRunning, OSError) as error:
                raise CommandError(str(error)) from error
            listening = stack.enter_context(_listen(configuration.host, configuration.port))
            stack.enter_context(announced(configuration.data_dir, configuration.origin))
            self.stderr.write("Starting the database …", self.style.SUCCESS)
            try:
                stack.enter_context(database_ready(migrate=True))
                if configuration.embedded:
                    stack.enter_context(kept_running(configuration.data_dir))
                self._welcome(demo=demo)
                if configuration.broker_url.startswith("memory:"):
                    stack.enter_context(background())
                stack.enter_context(accompanied())
                stack.callback(_end_undisturbed)
                Server().run(sockets=[listening])
            except EmbeddedServerError as error:
                raise CommandError(str(error)) from error

    def _welcome(self, *, demo: bool) -> None:
        if demo:
            from desk.sample import make_sample_space

            make_sample_space()
        self.stdout.write(f"Kndl {VERSION} is at {settings.KNDL.origin}/")
        secret = owner_link()
        if secret:
            self.stdout.write(f"Become its owner here (works once, for 24 hours): {link_of(secret)}")
        self.stdout.flush()


def _stop(signum: int, frame: FrameType | None) -> None:
    """uvicorn ends its own part on SIGTERM and then sends the signal again: the rest ends by unwinding."""
    raise SystemExit(0)


def _end_undisturbed() -> None:
    """A second Ctrl-C must not leave the database running; it takes seconds to stop."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _listen(host: str, port: int) -> socket.socket:
    """The listening socket, bound before anything else so that a taken port is said at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sets TCP_NODELAY on what it accepts: without, each answer waits 40 ms for an ACK.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        said = f"KNDL_BIND: {host}:{port} cannot be used ({error.strerror}); name another address."
        raise CommandError(said) from error
    return listening
