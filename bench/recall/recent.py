"""Lines that were said and wait to be distilled, in every scope: recall looks through them too."""

from bench.layers.space import Store
from bench.layers.talk import conversation
from common.strict import validated
from memory.sessions.rules.document import LinesInput, SessionInput
from memory.sessions.writing import append_lines, open_session
from spaces.databases.transactions import memory_transaction

WAITING = 50
_NUMBER = 10_000


def said_recently(store: Store) -> None:
    """Have 50 lines wait in each scope; those that wait already stay."""
    for one in store.scopes:
        lines = [
            {"role": line.role, "speaker": line.speaker, "text": line.text, "at": line.at.isoformat()}
            for line in conversation(one.book, _NUMBER, WAITING)
        ]
        with memory_transaction() as act:
            session, _ = open_session(act, one.binding, validated(SessionInput, {"client_id": "today"}))
            append_lines(act, one.binding, str(session.pk), validated(LinesInput, {"from_index": 0, "lines": lines}))
