"""`manage.py migrate`: every database, as the role that owns the tables."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as DjangoCommand

from kndl_site.running import database_ready, migrate_everything
from spaces.databases.aliases import OWNER
from spaces.databases.provisioning import CannotProvision

# Of Django's options: what makes sense for all databases at once, and what Django itself adds.
_COMMON = frozenset(
    {"database", "interactive", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color"}
)


class Command(DjangoCommand):
    """Django's own makes tables as the role that asks; here that role must not own them."""

    help = "Brings the control database, the template of Spaces and every Space up to date. May be cut off and repeated"

    def handle(self, *args: Any, **options: Any) -> None:
        if str(options["database"]).startswith(OWNER):
            super().handle(*args, **options)
            return
        given = [name for name, value in options.items() if value and name not in _COMMON and name != "skip_checks"]
        if given or options["database"] != "default":
            raise CommandError("Databases of Kndl go forward together: run `manage.py migrate` alone.")
        try:
            with database_ready():
                failed = migrate_everything(self.stdout.write)
        except CannotProvision as error:
            raise CommandError(str(error)) from error
        if failed:
            raise CommandError(f"Not migrated: {', '.join(failed)}. They answer 503 until the next run completes.")
