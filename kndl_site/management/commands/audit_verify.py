"""`manage.py audit_verify`: does every chain hold?"""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from audit.databases import Opened, audited_databases
from audit.verifying import first_fault, head
from common.errors import Unavailable
from kndl_site.running import database_ready


class Command(BaseCommand):
    help = (
        "Checks the audit chain of the control database and of every Space, and the heads that were written outside"
        " them, and names the first bad row. Exit status 1 when one does not hold or cannot be read."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--database", help="only this one: `control`, or a Space's slug")
        parser.add_argument(
            "--older-root",
            type=Path,
            action="append",
            default=[],
            metavar="KEY_FILE",
            help="a former root key, for the rows that were signed under it; may be repeated",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._older = [_key_in(file) for file in options["older_root"]]
        with database_ready():
            chosen = [(name, opened) for name, opened in audited_databases() if options["database"] in (None, name)]
            held = [self._holds(name, opened) for name, opened in chosen]
        if not chosen:
            raise CommandError("There is no such database: name `control` or a Space.")
        if bad := held.count(False):
            raise CommandError(f"{bad} of {len(held)} audit chains do not hold or cannot be read.")

    def _holds(self, name: str, opened: Opened) -> bool:
        try:
            with opened() as using:
                fault, last = first_fault(using, self._older), head(using)
        except (DatabaseError, Unavailable) as error:
            self.stderr.write(f"{name}: cannot be read: {str(error).strip()}")
            return False
        if fault:
            self.stderr.write(f"{name}: BROKEN at row {fault.sequence}: {fault.reason}")
            return False
        self.stdout.write(f"{name}: holds, {last.sequence} rows, head {last.mark[:16]}")
        return True


def _key_in(file: Path) -> str:
    try:
        return file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}") from error
