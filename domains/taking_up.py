"""What members changed on the disk comes into the rows, and what changed in the rows goes to the disk.

Called with the domain's directory locked. For each file it is known which state of the rows it last showed, so either
side's change is told from the other's, and a crash between the two leaves only something to be finished.
"""

import time
from dataclasses import replace

from audit.recording import audited
from domains import disk, evidence, rows, sealing
from domains.context_found import take_context
from domains.disk import Found
from domains.keys_found import take_keys
from domains.log_found import take_log
from domains.models import DiskState, Domain, Evidence
from domains.places import CONTEXT, FILES, IGNORE, KEYS, LOG
from domains.rules import context as context_rules
from domains.rules import keys as key_rules

_NAMES_KEYS = f"{KEYS}\n".encode()
_RACY = 50_000_000  # nanoseconds within which a second change may leave the times as they are
_LEAST_LOG = 8 * 1024 * 1024  # bytes


def settle(domain: Domain) -> None:
    """Let rows and disk agree on all three files. Raises OSError for what the disk refuses."""
    disk.ensure_folder(domain)
    disk.clear_leftovers(domain)
    _keep_ignored(domain)
    for file in FILES:
        _settle_file(domain, file)


def _settle_file(domain: Domain, file: str) -> None:
    state = DiskState.objects.filter(domain=domain, file=file).first()
    version = rows.version_of(domain, file)
    seen = disk.look(domain, file)
    if state and state.version == version and _same(state, seen):
        return
    if state is None and seen.kind == "missing":
        _bring(domain, file)
        return
    found = disk.read(domain, file, _limit(domain, file))
    known = state is not None and found.kind == "file" and sealing.mark(domain, file, found.content) == state.mark
    if not known and found.kind != "missing":
        disk.steady(domain, file)
        found = disk.read(domain, file, _limit(domain, file))
    if found.kind not in {"file", "missing"}:
        _replaced(domain, file, found)
        _bring(domain, file)
        return
    _agree(domain, file, found, state, version)


def _agree(domain: Domain, file: str, found: Found, state: DiskState | None, version: int) -> None:
    """Decide which side changed since `state`."""
    if found.kind == "file" and found.whole:
        if state and sealing.mark(domain, file, found.content) == state.mark:
            if state.version == version:
                _note(domain, file, found, version)
                return
            _bring(domain, file, found)
            return
        if found.content == rows.content_of(domain, file):
            _note(domain, file, found, version)
            return
    if found.kind == "missing":
        _say_removed(domain, file)
        _bring(domain, file)
        return
    _take(domain, file, found, state)


def _take(domain: Domain, file: str, found: Found, state: DiskState | None) -> None:
    """Take up what only the disk has, by the rules of the file; what they refuse is kept as evidence and put back."""
    version = rows.version_of(domain, file)
    both = state is not None and state.version != version
    if not found.whole:
        said = f"{file} had grown to {found.size:,} bytes, more than it may have; it was put back."
        with audited("default") as act:
            evidence.keep(act, domain, _REFUSED[file], file, said, found.content)
        _bring(domain, file)
    elif file == LOG:
        with disk.kept_open(domain, file) as before:
            take_log(domain, found, min(version, state.version) if state else version)
            late = _bring_log(domain, found, before)
        if late:
            take_log(domain, replace(found, content=rows.content_of(domain, LOG) + late), rows.last_line(domain))
            _bring(domain, LOG)
    elif both:
        said = f"{file} was changed on disk and here at once; the disk’s text was kept aside."
        with audited("default") as act:
            evidence.keep(act, domain, Evidence.Kind.CLASHED, file, said, found.content)
        _bring(domain, file)
    elif take_context(domain, found, version) if file == CONTEXT else take_keys(domain, found):
        _note(domain, file, found, rows.version_of(domain, file))
    else:
        _bring(domain, file)


_REFUSED = {
    CONTEXT: Evidence.Kind.CONTEXT_REFUSED,
    LOG: Evidence.Kind.LOG_CHANGED,
    KEYS: Evidence.Kind.KEYS_REFUSED,
}


def _bring(domain: Domain, file: str, found: Found | None = None) -> None:
    """Let the file show what the rows say. LOG grows in place where it only lacks its last lines."""
    content, version = rows.content_of(domain, file), rows.version_of(domain, file)
    if file == LOG and found is not None and content.startswith(found.content) and found.links == 1:
        disk.append(domain, file, content[len(found.content) :])
    else:
        disk.put(domain, file, content)
    _note_written(domain, file, content, version)


def _bring_log(domain: Domain, found: Found, before: int | None) -> bytes:
    """Write LOG where it is not what the rows say; returns what its last writer added while that was done."""
    content, version = rows.content_of(domain, LOG), rows.last_line(domain)
    if content == found.content:
        _note(domain, LOG, found, version)
        return b""
    disk.put(domain, LOG, content)
    _note_written(domain, LOG, content, version)
    return disk.grown(before, len(found.content), _LEAST_LOG)


def _note_written(domain: Domain, file: str, content: bytes, version: int) -> None:
    """Remember the file that was just written; one that was changed again already is looked at next time."""
    found = disk.read(domain, file, len(content) + 1)
    if found.kind == "file" and found.content == content:
        _note(domain, file, found, version)
    else:
        _note(domain, file, Found("file", content), version)


def _note(domain: Domain, file: str, found: Found, version: int) -> None:
    if found.kind == "file" and found.mode != disk.mode_of(file) and found.inode:
        found = _with_mode(domain, file, found)
    fresh = abs(time.time_ns() - found.changed_ns) < _RACY
    DiskState.objects.update_or_create(
        domain=domain,
        file=file,
        defaults={
            "version": version,
            "size": found.size,
            "mtime_ns": found.mtime_ns,
            "changed_ns": 0 if fresh else found.changed_ns,
            "inode": found.inode,
            "mark": sealing.mark(domain, file, found.content),
        },
    )


def _with_mode(domain: Domain, file: str, found: Found) -> Found:
    """Give the file its mode; one that is another user's is written anew, where KEYS would be open to others."""
    try:
        disk.set_mode(domain, file)
    except PermissionError:
        if file != KEYS:
            return found
        disk.put(domain, file, found.content)
    except FileNotFoundError:
        return found
    again = disk.read(domain, file, len(found.content) + 1)
    return again if again.kind == "file" and again.content == found.content else Found("file", found.content)


def _same(state: DiskState, seen: Found) -> bool:
    return (state.size, state.mtime_ns, state.changed_ns, int(state.inode)) == (
        seen.size,
        seen.mtime_ns,
        seen.changed_ns,
        seen.inode,
    )


def _replaced(domain: Domain, file: str, seen: Found) -> None:
    target = disk.set_aside(domain, file)
    said = f"{file} was a {_WORDS[seen.kind]}; it was put back as a file."
    with audited("default") as act:
        evidence.keep(act, domain, Evidence.Kind.REPLACED, file, said, target, line=1 if file == LOG else None)


_WORDS = {"link": "link", "folder": "folder", "unreadable": "file that can’t be read here", "other": "special file"}


def _say_removed(domain: Domain, file: str) -> None:
    said = f"{file} was removed from the disk; it was put back."
    with audited("default") as act:
        evidence.keep(act, domain, Evidence.Kind.REPLACED, file, said, line=1 if file == LOG else None)


def _keep_ignored(domain: Domain) -> None:
    """`.gitignore` names KEYS.md; what else members write there stays."""
    found = disk.read(domain, IGNORE, 64 * 1024)
    if found.kind == "file" and KEYS.encode() in [line.strip() for line in found.content.split(b"\n")]:
        return
    if found.kind not in {"file", "missing"}:
        disk.set_aside(domain, IGNORE)
    disk.put(domain, IGNORE, _NAMES_KEYS + (found.content if found.kind == "file" and found.whole else b""))


def _limit(domain: Domain, file: str) -> int:
    """How much of a file is read; a LOG may grow to twice what is stored and 8 MiB more."""
    if file == CONTEXT:
        return 64 * context_rules.LARGEST
    if file == KEYS:
        return key_rules.LARGEST
    return _LEAST_LOG + 2 * sum(len(line) * 2 for line in rows.stored_lines(domain))
