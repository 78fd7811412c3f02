"""What a command needs before it can touch a database: a server, and databases that are up to date."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import structlog
from django.conf import settings
from django.db import connections

from kndl_site.embedded import EmbeddedServer
from spaces.databases.backend.base import store
from spaces.databases.provisioning import ensure_control, ensure_template, migrate_space
from spaces.listing import ready_spaces

log = structlog.get_logger()


@contextmanager
def database_ready(*, migrate: bool = False) -> Iterator[None]:
    """Attach to the embedded server, or start it for the time of the block; a server of one's own is left alone.

    With `migrate`, or on the first start of all, the control database, the template of Spaces and every Space are
    brought up to date; a Space that cannot be is logged and stays unavailable.
    """
    with ExitStack() as stack:
        if settings.KNDL.embedded:
            stack.enter_context(EmbeddedServer(settings.KNDL.data_dir))
        stack.callback(_let_go)
        if migrate or not _has_tables():
            migrate_everything()
        yield


def migrate_everything() -> list[str]:
    """Bring every database up to date, one after the other; returns the slugs of Spaces where it failed."""
    ensure_control()
    ensure_template()
    failed = []
    for space in ready_spaces():
        try:
            migrate_space(space.pk, space.database_url)
        except Exception as error:
            failed.append(space.slug)
            log.warning("space_not_migrated", space=space.slug, reason=str(error).strip().split("\n")[0])
    return failed


def _has_tables() -> bool:
    with connections["default"].cursor() as cursor:
        cursor.execute("select to_regclass('public.spaces_space') is not null")
        return bool(cursor.fetchone()[0])


def _let_go() -> None:
    connections.close_all()
    store.close_idle(older_than=-1)
