"""The conversations of the sample, and what a distillation makes of them, as if it had been made back then."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from audit.recording import SYSTEM, Act
from common.strict import validated
from common.times import format_instant, now, parse_instant
from memory.layers.distilling import distil
from memory.layers.elements import run_sql
from memory.layers.models import Distillation
from memory.layers.runs import ask
from memory.layers.settings import SettingsInput, change_settings
from memory.sessions.rules.document import LinesInput, SessionInput
from memory.sessions.writing import append_lines, open_session
from spaces.access import Binding
from spaces.databases.transactions import attempted

# Between two lines of a conversation, and from its last line to its distillation.
_A_BREATH = timedelta(seconds=40)
_A_WHILE = timedelta(minutes=35)


def hold_conversations(binding: Binding, documents: Iterable[Mapping[str, Any]]) -> None:
    """Write the sessions of a scope and distil each but those that are to wait; nothing where one was distilled.

    A try that was cut off is gone on with: sessions and lines that are there are not written twice.
    """
    if Distillation.objects.filter(scope=binding.one.pk).exists():
        return
    written = [(document, attempted(partial(_write, binding=binding, document=document))) for document in documents]
    for document, session in written:
        if not document.get("waits"):
            _distil(binding, session, document)


def _write(act: Act, binding: Binding, document: Mapping[str, Any]) -> UUID:
    begins = parse_instant(document["startedAt"])
    opened = {"client_id": document["client_id"], "title": document["title"], "started_at": document["startedAt"]}
    session, _ = open_session(act, binding, validated(SessionInput, opened))
    lines = [
        {"role": role, "speaker": speaker, "text": text, "at": format_instant(begins + number * _A_BREATH)}
        for number, (role, speaker, text) in enumerate(document["lines"])
    ]
    append_lines(act, binding, str(session.pk), validated(LinesInput, {"from_index": 0, "lines": lines}))
    return session.pk


def _distil(binding: Binding, session: UUID, document: Mapping[str, Any]) -> None:
    """Distil one session; its proposals wait for a person where the document says so."""
    waits = bool(document.get("review"))
    if waits:
        _set_review(binding, wanted=True)
    run = attempted(lambda act: ask(act, binding.one.pk, SYSTEM, Distillation.Trigger.IDLE, session=session))
    done = distil(run.pk)
    if waits:
        _set_review(binding, wanted=False)
    if not done:
        raise RuntimeError(f"the conversation {document['client_id']} was not distilled")
    at = parse_instant(document["startedAt"]) + len(document["lines"]) * _A_BREATH + _A_WHILE
    attempted(lambda act: _set_back(act, binding, run.pk, min(at, now())))


def _set_review(binding: Binding, *, wanted: bool) -> None:
    given = validated(SettingsInput, {"review": wanted})
    attempted(lambda act: change_settings(act, binding.caller, binding.space, given, now()))


def _set_back(act: Act, binding: Binding, run: UUID, at: datetime) -> None:
    """Let a run have been done at an earlier instant: what it formed has faded since, what it repeated was not then."""
    values = {"scope": binding.one.pk, "run": run, "at": at}
    run_sql(
        "update distillation set asked_at = %(at)s, started_at = %(at)s, finished_at = %(at)s"
        " + (finished_at - started_at) where id = %(run)s",
        values,
    )
    run_sql("update distilled_range set at = %(at)s where run = %(run)s", values)
    run_sql("update node set formed_at = %(at)s where scope = %(scope)s and run = %(run)s", values)
    run_sql("update reinforcement set at = %(at)s where scope = %(scope)s and run = %(run)s", values)
    run_sql(
        "update node_strength s set scored_at = %(at)s from reinforcement r where r.node = s.node and r.run = %(run)s"
        " and s.scope = %(scope)s",
        values,
    )
    act.record(SYSTEM, "sample.set_back", str(run), scope=binding.one.pk)
