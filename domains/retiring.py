"""Retiring a domain: unmounted everywhere, its keys gone from the disk and the rows, the rest kept to be read."""

import os
import secrets
import shutil
import stat
from contextlib import suppress
from pathlib import Path

import structlog

from audit.recording import Act, Actor, audited
from common.folders import writing
from common.folders.names import folded
from common.folders.walking import walk
from common.folders.writing import incoming, locked
from common.times import now
from domains import disk, evidence, rows, siblings, views
from domains.models import DiskState, Domain, DomainKey
from domains.places import CONTEXT, KEYS, LOG, archive_of, aside_folder, folder_of, views_of
from domains.rights import Standing, held_live, require_governing
from domains.rules.showing import allowed
from spaces import operations
from spaces.models import Operation

log = structlog.get_logger()
_READ_ONLY = 0o444
_SHUT = 0o555
_PRIVATE = 0o700


def retire_domain(act: Act, standing: Standing) -> Operation:
    """Begin to retire a domain, in the transaction `act`: from then on no seat is given it and nothing is written.

    The caller holds the domain, so that what was changed on disk is in the rows, and runs the operation afterwards;
    the tick goes on with it where that is cut short. Raises Forbidden, and Conflict for one that is retired already.
    """
    require_governing(standing.caller)
    domain = held_live(standing.domain)
    domain.retired_at = now()
    domain.save(update_fields=["retired_at"])
    act.record(standing.caller.actor, "domain.retire", f"domain:{domain.slug}")
    return operations.begin(act, RETIRE, str(domain.pk), standing.caller.actor, {"slug": domain.slug})


def finish(operation: Operation) -> None:
    """Do the steps now; what can't be done now the tick does. The domain is retired already."""
    try:
        operations.run(operation)
    except Exception as error:  # noqa: BLE001 - noted in the operation's row, and tried again
        log.warning("domain_not_retired_in_full", operation=str(operation.pk), reason=type(error).__name__)


def _take_views_away(operation: Operation) -> None:
    domain = _domain(operation)
    siblings.refresh(domain)
    views.take_away(views_of(domain))


def _remove_keys(operation: Operation) -> None:
    """KEYS.md and what editors left of it go from the disk, then the rows and the evidence that may hold values."""
    domain = _domain(operation)
    folder = folder_of(domain)
    with locked(folder):
        _remove_copies(folder)
        disk.clear_leftovers(domain)
        for kept in aside_folder().glob(f"{domain.slug}-{KEYS}-*"):
            writing.remove(aside_folder(), kept.name, folder_mode=_PRIVATE, tidy=False)
        with suppress(FileNotFoundError):
            incoming(folder).rmdir()
    with audited("default") as act:
        held = rows.hold(domain)
        count, _ = DomainKey.objects.filter(domain=held).delete()
        DiskState.objects.filter(domain=held).delete()
        emptied = evidence.forget_keys(held)
        actor = Actor(operation.actor_kind, operation.actor_id)
        act.record(actor, "domain.keys_removed", f"domain:{held.slug}", lines=count, evidence=emptied)


def _archive(operation: Operation) -> None:
    """What the members left is moved to the archive, but for what git kept of it.

    The directory goes, also for those who have it mounted.
    """
    domain = _domain(operation)
    folder, archive = folder_of(domain), archive_of(domain)
    with locked(folder):
        archive.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        archive.chmod(_PRIVATE)
        _remove_copies(folder)
        repositories = _remove_repositories(folder)
        for name in disk.names(domain):
            taken = os.path.lexists(archive / name)
            (folder / name).rename(archive / (f"{name}~{secrets.token_hex(4)}" if taken else name))
        for file in (CONTEXT, LOG):
            writing.put(archive, file, rows.content_of(domain, file), mode=_READ_ONLY, folder_mode=_PRIVATE)
        with suppress(FileNotFoundError):
            incoming(archive).rmdir()
        if folder.is_dir():
            folder.rmdir()
        _shut(archive)
    if repositories:
        with audited("default") as act:
            actor = Actor(operation.actor_kind, operation.actor_id)
            act.record(actor, "domain.git_left_out", f"domain:{domain.slug}", repositories=repositories)


RETIRE = operations.register(
    operations.Kind("retire_domain", (("views", _take_views_away), ("keys", _remove_keys), ("archive", _archive)))
)


def _remove_copies(folder: Path) -> None:
    """Remove every file of the name KEYS.md, however it is spelt, and what editors keep beside it."""
    for seen in list(walk(folder)):
        if seen.kind != "folder" and allowed(seen.path.rpartition("/")[2]).why == "KEYS.md":
            writing.remove(folder, seen.path, folder_mode=disk.FOLDER_MODE, tidy=False)


def _remove_repositories(folder: Path) -> int:
    """Remove what git keeps, at any depth, since old values may be in it; returns how many there were."""
    found = [seen for seen in walk(folder) if folded(seen.path.rpartition("/")[2]) == ".git"]
    for seen in found:
        place = folder / seen.path
        if seen.kind != "folder":
            place.unlink(missing_ok=True)
            continue
        for below in walk(place):
            if below.kind == "folder" and below.mode & _PRIVATE != _PRIVATE:
                (place / below.path).chmod(_PRIVATE)
        with suppress(FileNotFoundError):
            shutil.rmtree(place)
    return len(found)


def _domain(operation: Operation) -> Domain:
    return Domain.objects.get(pk=operation.subject)


def _shut(archive: Path) -> None:
    """Nothing in the archive is written to any more; links stay what they are."""
    for entry in archive.iterdir():
        if stat.S_ISREG(entry.lstat().st_mode):
            entry.chmod(_READ_ONLY)
    archive.chmod(_SHUT)
