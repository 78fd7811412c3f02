"""Lines on their way in: sessions of many lines, through the product's function and over REST."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bench.layers.space import Rest, Seated
from bench.layers.talk import conversation
from bench.layers.timing import Rate, timed_rate
from common.strict import validated
from memory.sessions.rules.document import LinesInput, SessionInput
from memory.sessions.writing import append_lines, open_session
from spaces.databases.transactions import memory_transaction

A_SESSION = 1_000
AT_ONCE = 500
# Books that no scope of the store is filled with.
_FIRST_BOOK = 1_000


def ingested(one: Seated, count: int, *, book: int = _FIRST_BOOK, a_session: int = A_SESSION) -> Rate:
    """Append so many lines in sessions of `a_session`, 500 at a time, by the function behind REST."""

    def opened(session: dict[str, Any]) -> str:
        with memory_transaction() as act:
            return str(open_session(act, one.binding, validated(SessionInput, session))[0].pk)

    def appended(session: str, lines: LinesInput) -> int:
        with memory_transaction() as act:
            return append_lines(act, one.binding, session, lines).accepted

    batches = _sessions(count, book, a_session)
    return _taken(count, batches, opened, lambda document: validated(LinesInput, document), appended)


def ingested_over_rest(rest: Rest, one: Seated, count: int, *, book: int = _FIRST_BOOK + 1) -> Rate:
    """The same over REST; the requests' JSON is made and read within the time."""

    def opened(session: dict[str, Any]) -> str:
        return str(rest.post("sessions", session, one.token)["id"])

    def appended(session: str, lines: dict[str, Any]) -> int:
        return int(rest.post(f"sessions/{session}/lines", lines, one.token)["accepted"])

    return _taken(count, _sessions(count, book, A_SESSION), opened, lambda document: document, appended)


def _taken(
    count: int,
    sessions: Iterator[tuple[dict[str, Any], list[dict[str, Any]]]],
    opened: Callable[[dict[str, Any]], str],
    ready: Callable[[dict[str, Any]], Any],
    appended: Callable[[str, Any], int],
) -> Rate:
    clock = timed_rate(count)
    for session, batches in sessions:
        name = opened(session)
        for batch in [ready(document) for document in batches]:
            accepted = clock.run(lambda name=name, batch=batch: appended(name, batch))  # type: ignore[misc]
            if accepted != len(batch.lines if isinstance(batch, LinesInput) else batch["lines"]):
                raise RuntimeError("lines were not taken")
    return clock.rate()


def _sessions(count: int, book: int, a_session: int) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each session as it is opened, and its lines in batches as they are sent."""
    for number, begin in enumerate(range(0, count, a_session)):
        lines = conversation(book, number, min(a_session, count - begin))
        documents: Sequence[dict[str, Any]] = [
            {"role": line.role, "speaker": line.speaker, "text": line.text, "at": line.at.isoformat()} for line in lines
        ]
        yield (
            {"client_id": f"talk {number}", "started_at": lines[0].at.isoformat()},
            [
                {"from_index": start, "lines": documents[start : start + AT_ONCE]}
                for start in range(0, len(documents), AT_ONCE)
            ],
        )
