"""What a command needs before it can touch a database: a server, and databases that are up to date."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import psycopg
import structlog
from django.conf import settings
from django.core.management.base import CommandError
from django.db import OperationalError, connections

from kndl_site.embedded import EmbeddedServer, EmbeddedServerError
from spaces.databases.backend.base import close_idle
from spaces.databases.provisioning import CannotProvision, ensure_control, ensure_template, migrate_space
from spaces.listing import ready_spaces

log = structlog.get_logger()


@contextmanager
def database_ready(*, migrate: bool = False) -> Iterator[None]:
    """Attach to the embedded server, or start it for the time of the block; a server of one's own is left alone.

    With `migrate`, or on the first start of all, the control database, the template of Spaces and every Space are
    brought up to date; a Space that cannot be is logged and stays unavailable. Raises CommandError when the server
    does not start or answer, or lacks something; what the block raises is left as it is.
    """
    with ExitStack() as stack:
        try:
            if settings.KNDL.embedded:
                stack.enter_context(EmbeddedServer(settings.KNDL.data_dir))
            stack.callback(_let_go)
            if migrate or not _has_tables():
                migrate_everything()
        except (EmbeddedServerError, CannotProvision) as error:
            raise CommandError(str(error)) from error
        except (OperationalError, psycopg.OperationalError) as error:
            raise CommandError(f"The database cannot be used: {str(error).strip()}") from error
        yield


def migrate_everything(say: Callable[[str], object] = lambda line: None) -> list[str]:
    """Bring every database up to date, one after the other; returns the slugs of Spaces where it failed.

    `say` is told each database when it is done. Raises CannotProvision for the control database and the template.
    """
    ensure_control()
    say("control: up to date")
    ensure_template()
    say("template of Spaces: up to date")
    failed = []
    for space in list(ready_spaces()):
        try:
            migrate_space(space.pk, space.database_url)
        except Exception as error:  # noqa: BLE001 - whatever one Space meets, the others go on
            reason = str(error).strip().partition("\n")[0]
            failed.append(space.slug)
            log.warning("space_not_migrated", space=space.slug, reason=reason)
            say(f"{space.slug}: FAILED, stays unavailable: {reason}")
        else:
            say(f"{space.slug}: up to date")
    return failed


def _has_tables() -> bool:
    with connections["default"].cursor() as cursor:
        cursor.execute("select to_regclass('public.spaces_space') is not null")
        return bool(cursor.fetchone()[0])


def _let_go() -> None:
    connections.close_all()
    close_idle(older_than=-1)
