"""The shapes of answers, and how rows become them."""

from typing import Any

from pydantic import BaseModel, Field

from common.times import format_instant
from domains import reading
from domains.models import ContextRevision, Domain, Evidence, LogLine
from domains.projects import members_of
from domains.rules import context as context_rules
from spaces.models import Project


class MemberAnswer(BaseModel):
    """A project that shares the domain."""

    space: str
    project: str
    name: str


class DomainAnswer(BaseModel):
    """A domain. `git` says whether KEYS.md is kept out of git; `context` is the revision in force."""

    slug: str
    name: str
    cross_read: bool
    crosses: bool
    context: int
    log: int
    members: list[MemberAnswer]
    git: str
    git_said: str
    made_at: str
    retired_at: str | None


class DomainList(BaseModel):
    """Domains."""

    domains: list[DomainAnswer]


class MemberList(BaseModel):
    """The members."""

    crosses: bool
    members: list[MemberAnswer]


class WarningAnswer(BaseModel):
    """What the record rules would have otherwise; line 0 is the whole text."""

    line: int
    said: str


class ContextAnswer(BaseModel):
    """CONTEXT as it is now. `size` and `limit` are bytes."""

    revision: int
    text: str
    size: int
    limit: int
    author: str
    source: str
    at: str
    base: int
    note: str
    warnings: list[WarningAnswer]


class RevisionAnswer(BaseModel):
    """A revision as a list shows it."""

    revision: int
    size: int
    author: str
    source: str
    at: str
    base: int
    note: str


class OneRevisionAnswer(RevisionAnswer):
    """A revision with its text and what it changed, as a unified diff."""

    text: str
    diff: str


class RevisionList(BaseModel):
    """Revisions, the newest first."""

    revisions: list[RevisionAnswer]
    next: str | None


class LineAnswer(BaseModel):
    """A line of LOG."""

    number: int
    date: str
    project: str
    change: str
    author: str
    source: str
    at: str


class LineList(BaseModel):
    """Lines in their order. `last` is the number to follow after."""

    lines: list[LineAnswer]
    last: int
    next: str | None


class KeyAnswer(BaseModel):
    """A key, masked."""

    name: str
    value: str
    changed_at: str


class KeyList(BaseModel):
    """The keys in their order."""

    keys: list[KeyAnswer]


class RevealedAnswer(BaseModel):
    """A key with its value."""

    name: str
    value: str


class EvidenceAnswer(BaseModel):
    """What was found on disk and not taken; `line` is the first at fault, `size` bytes."""

    id: str
    kind: str
    file: str
    said: str
    line: int | None
    size: int
    at: str


class EvidenceList(BaseModel):
    """Evidence, the newest first."""

    evidence: list[EvidenceAnswer]


class OneEvidenceAnswer(EvidenceAnswer):
    """Evidence with what was found; bytes that are no UTF-8 are shown as U+FFFD."""

    found: str = Field(description="What was found.")


def domain_shown(domain: Domain) -> dict[str, Any]:
    """A domain."""
    git = reading.git_of(domain)
    return {
        "slug": domain.slug,
        "name": domain.name,
        "cross_read": domain.cross_read,
        "crosses": domain.crosses,
        "context": reading.context_of(domain).number,
        "log": reading.last_line_of(domain),
        "members": members_shown(members_of(domain)),
        "git": git.state if git else "unknown",
        "git_said": git.said if git else "",
        "made_at": format_instant(domain.made_at),
        "retired_at": format_instant(domain.retired_at) if domain.retired_at else None,
    }


def members_shown(projects: list[Project]) -> list[dict[str, Any]]:
    """Projects as members."""
    return [{"space": one.space.slug, "project": one.slug, "name": one.name} for one in projects]


def context_shown(revision: ContextRevision) -> dict[str, Any]:
    """CONTEXT in force."""
    found = [{"line": one.line, "said": one.said} for one in reading.warnings_of(revision)]
    return revision_shown(revision, reading.author_of(revision)) | {
        "text": revision.text,
        "limit": context_rules.LARGEST,
        "warnings": found,
    }


def revision_shown(revision: ContextRevision, author: str) -> dict[str, Any]:
    """A revision in a list."""
    return {
        "revision": revision.number,
        "size": len(revision.text.encode()),
        "author": author,
        "source": revision.source,
        "at": format_instant(revision.at),
        "base": revision.base,
        "note": revision.note,
    }


def line_shown(line: LogLine, author: str) -> dict[str, Any]:
    """A line of LOG."""
    return {
        "number": line.number,
        "date": line.day.isoformat(),
        "project": line.project,
        "change": line.change,
        "author": author,
        "source": line.source,
        "at": format_instant(line.at),
    }


def key_shown(key: reading.MaskedKey) -> dict[str, Any]:
    """A key, masked."""
    return {"name": key.name, "value": key.masked, "changed_at": format_instant(key.changed_at)}


def evidence_shown(found: Evidence) -> dict[str, Any]:
    """Evidence without what was found."""
    return {
        "id": str(found.pk),
        "kind": found.kind,
        "file": found.file,
        "said": found.said,
        "line": found.line,
        "size": found.size,
        "at": format_instant(found.at),
    }
