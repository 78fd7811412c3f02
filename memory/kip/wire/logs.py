"""The log of what was executed in a scope, newest first, and what the audit chain keeps of it."""

import hmac
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings

from audit.recording import Act
from common.crypto import derived
from common.times import format_instant, now
from memory.kip.graph import Graph
from memory.kip.language.tree import Json, Text
from memory.kip.models import KipLog
from memory.kip.querying.cursors import cursor_of, place_of
from memory.kip.wire.requests import LogPage
from memory.sessions.masking import mask
from spaces.access import Binding
from spaces.databases.transactions import memory_transaction

LONGEST_TEXT = 8_000


@dataclass(frozen=True)
class Logged:
    """One command as it is put on record."""

    method: str
    text: str
    dry_run: bool = False
    statements: tuple[str, ...] = ()
    writes: bool = False
    error: str = ""

    def of(self, text: Text) -> "Logged":
        """The same with what its text says."""
        kinds = tuple(type(statement).__name__ for statement in text.statements)
        return replace(self, statements=kinds, writes=text.writes)

    def failed(self, code: str) -> "Logged":
        """The same with its error."""
        return replace(self, error=code)


def note(act: Act, binding: Binding, logged: Logged, graph: Graph | None = None) -> None:
    """Put a command on record in its own transaction. Its text is kept where no PHI could be in it, and no secret."""
    scope = binding.one
    stated: dict[str, Any] = {
        "statements": dict(Counter(logged.statements)),
        "digest": _digest(logged.text),
        "method": logged.method,
    }
    if logged.dry_run:
        stated["dry_run"] = True
    if logged.error:
        stated["error"] = logged.error
    kind = "kip.write" if logged.writes and not logged.dry_run and not logged.error else "kip.read"
    act.record(
        binding.caller.actor, kind, f"scope:{scope.name}", scope=scope.pk, purpose=binding.purpose or "", **stated
    )
    KipLog.objects.create(
        scope=scope.pk,
        at=now(),
        actor=str(binding.caller.actor),
        method=logged.method,
        statements=list(logged.statements),
        text=_kept(logged, graph),
        error=logged.error,
    )


def note_alone(binding: Binding, logged: Logged) -> None:
    """Put on record what was not executed, or not kept."""
    with memory_transaction() as act:
        note(act, binding, logged)


def logs_page(binding: Binding, page: LogPage) -> tuple[list[Json], str | None]:
    """A page of the bound scope's log, and the cursor of the next. Raises KIP_1001 for a foreign cursor."""
    scope = binding.one.pk
    found = KipLog.objects.filter(scope=scope).order_by("-pk")
    if page.cursor is not None:
        found = found.filter(pk__lt=place_of(page.cursor, ("list_logs",), scope, 1)[0])
    rows = list(found[: page.limit + 1])
    shown = rows[: page.limit]
    cursor = cursor_of(("list_logs",), scope, [shown[-1].pk]) if len(rows) > page.limit else None
    return [_shown(row) for row in shown], cursor


def _shown(row: KipLog) -> Json:
    return {
        "id": str(row.pk),
        "at": format_instant(row.at),
        "actor": row.actor,
        "method": row.method,
        "statements": row.statements,
        "command": row.text,
        "error": row.error or None,
    }


def _kept(logged: Logged, graph: Graph | None) -> str | None:
    """The masked text; None where PHI was open to the caller, or the text calls something PHI."""
    if (graph is not None and graph.released) or "phi" in logged.text.casefold():
        return None
    return mask(logged.text[:LONGEST_TEXT].replace("\0", "")).text


def _digest(text: str) -> str:
    """What equal texts have in common, under a key: nobody who reads the chain can try texts until one fits."""
    key = derived(settings.SECRET_KEY.encode(), "kndl kip texts")
    return hmac.new(key, text.encode(errors="surrogatepass"), "sha256").hexdigest()[:16]
