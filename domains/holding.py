"""Holding a domain: one writer at a time, whether they come by page, API or the disk."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from common.errors import Unavailable
from common.folders.writing import locked
from domains.models import Domain
from domains.places import folder_of
from domains.taking_up import settle

log = structlog.get_logger()


@contextmanager
def held(domain: Domain) -> Iterator[None]:
    """Keep other writers out of the domain for the block. Not to be nested.

    What was changed on disk is taken up first, so that the block writes on top of it; what the block committed goes to
    the disk at its end, and where that fails the tick does it. Raises Unavailable when the disk can't be read.
    """
    with locked(folder_of(domain)):
        try:
            _settle_live(domain)
        except OSError as error:
            raise Unavailable("The folder of the domain can’t be read or written at the moment.") from error
        yield
        _settle_or_say(domain)


def take_up(domain: Domain) -> None:
    """Let rows and disk agree. Raises OSError for what the disk refuses."""
    with locked(folder_of(domain)):
        _settle_live(domain)


def begin(domain: Domain) -> None:
    """Give a domain that was just made its directory; where that fails the tick does it."""
    with locked(folder_of(domain)):
        _settle_or_say(domain)


def _settle_or_say(domain: Domain) -> None:
    try:
        _settle_live(domain)
    except OSError as error:
        log.warning("domain_behind_on_disk", domain=domain.slug, reason=type(error).__name__)


def _settle_live(domain: Domain) -> None:
    current = Domain.objects.filter(pk=domain.pk, retired_at=None).first()
    if current is not None:
        settle(current)
