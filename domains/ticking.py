"""What happens to domains at a tick: what was changed on disk is taken up, git is looked at, views are kept up."""

from collections.abc import Callable

import structlog

from domains import git, siblings
from domains.holding import take_up
from domains.models import Domain

log = structlog.get_logger()
_PARTS: tuple[tuple[str, Callable[[Domain], object]], ...] = (
    ("disk", take_up),
    ("git", git.check),
    ("views", siblings.refresh),
)


def tick() -> None:
    """Look after every domain in force; where a part fails that is logged, and the others go on."""
    for domain in Domain.objects.filter(retired_at=None).order_by("slug"):
        for name, work in _PARTS:
            try:
                work(domain)
            except Exception as error:  # noqa: BLE001 - one domain's disk must not keep the others waiting
                # Without what the error says: it may quote what stood in a file.
                log.error("domain_tick_failed", domain=domain.slug, part=name, reason=type(error).__name__)
