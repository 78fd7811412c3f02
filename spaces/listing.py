"""Going through Spaces one after the other."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from audit.databases import Opened
from spaces.databases.entering import entered
from spaces.models import Space


def ready_spaces() -> Iterator[Space]:
    """Every Space that has been made, in the order of its slug."""
    yield from Space.objects.filter(state=Space.State.READY).order_by("slug")


def audited_spaces() -> Iterator[tuple[str, Opened]]:
    """Each Space's slug and a way into its database, for the audit room."""

    @contextmanager
    def opened(space: Space) -> Iterator[str]:
        with entered(space) as here:
            yield here.alias

    def way(space: Space) -> Opened:
        def open_it() -> AbstractContextManager[str]:
            return opened(space)

        return open_it

    for space in ready_spaces():
        yield space.slug, way(space)
