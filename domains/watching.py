"""Taking up what members change on the disk soon after they do; the tick finds what this misses."""

import threading
from pathlib import Path

import structlog
from django.db import connections
from watchfiles import Change
from watchfiles import watch as changes

from domains.holding import take_up
from domains.models import Domain
from domains.places import FILES, domains_folder

_DEBOUNCE = 400  # milliseconds
_STEP = 50
_PAUSE = 5.0  # seconds until it is tried again where the disk can't be watched
_NAMES = frozenset(FILES)

log = structlog.get_logger()


def watch(stop: threading.Event) -> None:
    """Watch the directories of all domains until `stop` is set; meant for a thread of its own beside `up`."""
    while not stop.is_set():
        try:
            _watch_those_there(stop)
        except Exception as error:  # noqa: BLE001 - whatever the watcher of this system raises
            log.warning("domains_not_watched", reason=type(error).__name__)
            stop.wait(_PAUSE)


def _watch_those_there(stop: threading.Event) -> None:
    """Watch until another domain comes or one goes; views and archives are not watched."""
    folder = domains_folder()
    folder.mkdir(parents=True, exist_ok=True)
    watched = [folder, *(path for path in folder.iterdir() if "." not in path.name)]
    for found in changes(
        *watched,
        watch_filter=_is_ours,
        stop_event=stop,
        debounce=_DEBOUNCE,
        step=_STEP,
        recursive=False,
        raise_interrupt=False,
    ):
        parts = [Path(path).relative_to(folder).parts for _, path in found]
        take_up_all({part[0] for part in parts})
        if any(len(part) == 1 for part in parts):
            return


def take_up_all(slugs: set[str]) -> None:
    """Take up what was changed in these domains."""
    try:
        for domain in Domain.objects.filter(slug__in=slugs, retired_at=None):
            try:
                take_up(domain)
            except OSError as error:
                log.warning("domain_not_taken_up", domain=domain.slug, reason=type(error).__name__)
    finally:
        for connection in connections.all(initialized_only=True):
            if not connection.in_atomic_block:
                connection.close()


def _is_ours(_change: Change, path: str) -> bool:
    """A domain's directory that comes or goes, or one of its three files; nothing of what is on its way."""
    parts = Path(path).relative_to(domains_folder()).parts
    return bool(parts) and "." not in parts[0] and (len(parts) == 1 or (len(parts) == 2 and parts[1] in _NAMES))
