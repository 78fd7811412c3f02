"""`manage.py audit_verify`: does every chain hold?"""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from audit.databases import audited_databases
from audit.verifying import first_fault, head


class Command(BaseCommand):
    help = "Checks the audit chain of the control database and of every Space, and names the first bad row."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--database", help="only this one: `control`, or a Space's slug")

    def handle(self, *args: Any, **options: Any) -> None:
        bad = 0
        found = False
        for name, opened in audited_databases():
            if options["database"] and options["database"] != name:
                continue
            found = True
            try:
                with opened() as using:
                    fault = first_fault(using)
                    sequence, mark = head(using)
            except Exception as error:
                bad += 1
                self.stderr.write(f"{name}: cannot be read: {error}")
                continue
            if fault:
                bad += 1
                self.stderr.write(f"{name}: BROKEN at row {fault.sequence}: {fault.reason}")
            else:
                self.stdout.write(f"{name}: holds, {sequence} rows, head {mark[:16]}")
        if not found:
            raise CommandError("there is no such database: name `control` or a Space")
        if bad:
            raise CommandError(f"{bad} audit chains do not hold")
