"""`manage.py rotate_keys`: a new key-encryption key, and the data keys of every Space and domain wrapped by it."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.recording import audited
from common.errors import Unavailable
from domains import sealing
from kndl_site.running import database_ready
from memory.keys.keeping import behind, rewrap_space
from spaces.access import SYSTEM_CALLER
from spaces.databases.entering import entered
from spaces.keys import current_number, rewrap_all_under_root, rotate
from spaces.listing import ready_spaces
from spaces.models import Space

_DOMAINS = "shared domains"


class Command(BaseCommand):
    help = (
        "Makes a new key-encryption key and wraps the data keys of every Space and shared domain by it; what they"
        " encrypt is not touched, and everything can be read meanwhile. May be cut off and repeated: a run goes on"
        " where the last one stopped, and makes a new key only when nothing is left. Exit status 1 when any is left."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--new", action="store_true", help="make a new key even though Spaces are left behind")
        parser.add_argument("--status", action="store_true", help="only say which Spaces are behind")
        parser.add_argument(
            "--root",
            type=Path,
            metavar="OLD_KEY_FILE",
            help="KNDL_ROOT_KEY was changed: wrap every key-encryption key by it, opened with the old one in this file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with database_ready():
            if options["root"]:
                self._under_new_root(options["root"])
                return
            spaces = list(ready_spaces())
            waiting = {space.slug: self._behind(space) for space in spaces} | {_DOMAINS: sealing.behind()}
            if options["status"]:
                self._say_what_is_behind(waiting)
                return
            if options["new"] or not any(waiting.values()):
                with audited("default") as act:
                    number = rotate(act, SYSTEM_CALLER)
                self.stdout.write(f"Key-encryption key {number} is made.")
            left = [
                space.slug for place, space in enumerate(spaces, 1) if not self._wrap(space, f"{place}/{len(spaces)}")
            ]
            done, closed = sealing.rewrap(SYSTEM_CALLER)
            self.stdout.write(f"{_DOMAINS}: {_said(done, closed)}")
            left += [_DOMAINS] if closed else []
        if left:
            raise CommandError(f"Left behind: {', '.join(left)}. Run this again when they can be reached.")

    def _under_new_root(self, file: Path) -> None:
        try:
            old = file.read_text("ascii").strip()
            with audited("default") as act:
                count = rewrap_all_under_root(act, SYSTEM_CALLER, old)
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{file} cannot be read: {error}") from error
        except Unavailable as error:
            raise CommandError(error.detail) from error
        self.stdout.write(
            f"{count} key-encryption keys are wrapped by the new root key. Restart what runs on the old one."
        )

    def _behind(self, space: Space) -> int | None:
        """How many data keys are behind; None for a Space out of reach."""
        try:
            with entered(space):
                return behind()
        except Unavailable:
            return None

    def _say_what_is_behind(self, waiting: dict[str, int | None]) -> None:
        number = current_number()
        for slug, count in waiting.items():
            said = "out of reach" if count is None else f"{count} data keys are behind" if count else "up to date"
            self.stdout.write(f"{slug}: {said}")
        self.stdout.write(f"The newest key-encryption key is {number}.")

    def _wrap(self, space: Space, place: str) -> bool:
        """Whether all data keys of `space` are wrapped by the newest key now."""
        try:
            with entered(space):
                done, left = rewrap_space(SYSTEM_CALLER)
        except Unavailable as error:
            self.stderr.write(f"[{place}] {space.slug}: {error.detail}")
            return False
        self.stdout.write(f"[{place}] {space.slug}: {_said(done, left)}")
        return not left


def _said(done: int, left: int) -> str:
    said = f"{done} data keys wrapped" if done else "nothing to do"
    return f"{said}{f', {left} do not open' if left else ''}"
