"""What was said in a Space, by the ways the product has: sessions, lines, and what a distillation makes of them."""

from datetime import datetime
from typing import Any

from audit.recording import SYSTEM
from common.strict import validated
from common.times import format_instant
from memory.layers.distilling import distil
from memory.layers.models import Distillation, LayerSettings
from memory.layers.runs import ask
from memory.sessions.models import Session
from memory.sessions.rules.document import LinesInput, SessionInput
from memory.sessions.writing import append_lines, open_session
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from spaces.models import Scope
from tests.rest.client import Rest

LEDGER = (
    ("Mirel", "We decided to re-issue the March statements for every clinic."),
    ("Mirel", "The VAT was summed per batch, which is why the totals were wrong."),
    ("Jun", "Harrow Street asked for paper copies of the statements."),
    ("Jun", "I prefer reports sorted by clinic."),
)


def say(
    space: Any, *lines: tuple[str, str], client_id: str = "talk", at: datetime | None = None, scope: str = "shared"
) -> Session:
    """A session with these lines of (speaker, text), or more of them; it waits to be distilled."""
    with entered(space):
        binding = Binding(space, SYSTEM_CALLER, (Scope.objects.get(space=space, name=scope),))
        with memory_transaction() as act:
            session, _ = open_session(act, binding, validated(SessionInput, {"client_id": client_id}))
        written = [{"role": "user", "speaker": speaker, "text": text} for speaker, text in lines]
        for line in written:
            line |= {"at": format_instant(at)} if at else {}
        given = validated(LinesInput, {"from_index": session.line_count, "lines": written})
        with memory_transaction() as act:
            append_lines(act, binding, str(session.pk), given)
        return Session.objects.get(pk=session.pk)


def asked(space: Any, *, scope: str = "shared") -> Distillation:
    """A run over what waits, asked for and not begun."""
    with entered(space), memory_transaction() as act:
        return ask(act, Scope.objects.get(space=space, name=scope).pk, SYSTEM, Distillation.Trigger.MANUAL)


def distilled(space: Any, *, scope: str = "shared") -> Distillation:
    """The run over what waits, done."""
    run = asked(space, scope=scope)
    with entered(space):
        assert distil(run.pk)
        return Distillation.objects.get(pk=run.pk)


def reviewed(space: Any, *, scope: str = "shared") -> Distillation:
    """The run over what waits, all of whose proposals wait for a person."""
    with entered(space):
        LayerSettings.objects.update_or_create(single=True, defaults={"review": True})
    return distilled(space, scope=scope)


def ward(rest: Rest) -> None:
    """A PHI session with one line, under a consent for treatment; a seat says it."""
    consent = {"id": "consent:1", "subject": "patient:1", "purposes": ["treatment"], "granted_by": "human://wren"}
    assert rest.post("consents", consent).status_code == 201
    opened = {"client_id": "ward", "classification": "PHI", "subject": "patient:1", "consent": "consent:1"}
    session = rest.post("sessions", opened).json()["id"]
    line = {"role": "user", "speaker": "Wren", "text": "I am allergic to penicillin since childhood."}
    answer = rest.post(f"sessions/{session}/lines", {"from_index": 0, "lines": [line]}, Kndl_Purpose="treatment")
    assert answer.status_code == 200, answer.content
