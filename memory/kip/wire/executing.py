"""Executing the commands of a request: each in a transaction of its own, on record, and within its time."""

from dataclasses import dataclass
from typing import Any

import rules
import structlog
from django.db import DatabaseError, DataError, OperationalError
from psycopg.errors import InvalidRegularExpression, QueryCanceled

from audit.recording import Act
from common.errors import KndlError
from common.times import now
from memory.kip.changing import apply
from memory.kip.graph import graph_of
from memory.kip.language.errors import KipError
from memory.kip.language.parsing import parse
from memory.kip.language.tree import Json, Query, Text
from memory.kip.querying import answer
from memory.kip.querying.faults import RunningFault
from memory.kip.seeding import ensure
from memory.kip.wire.logs import Logged, note, note_alone
from memory.kip.wire.requests import Command, Commands, read_commands
from memory.layers.elements import run_sql
from spaces.access import Binding
from spaces.databases.transactions import attempted, memory_transaction

SECONDS = 10
# Twelve tables may be joined in whichever order is best; to compile a plan, or to start workers for it, takes longer
# than what that saves.
_SETTINGS = (
    f"statement_timeout = '{SECONDS}s'",
    "join_collapse_limit = 12",
    "from_collapse_limit = 12",
    "jit = off",
    "max_parallel_workers_per_gather = 0",
)
Answer = dict[str, Json]
log = structlog.get_logger()


class _NotKept(Exception):
    """Takes the result of a dry run out of a transaction that is rolled back."""

    def __init__(self, result: Json) -> None:
        super().__init__()
        self.result = result


@dataclass(frozen=True)
class _Outcome:
    """The answer to one command; `stops` tells that a batch ends with it."""

    answer: Answer
    status: int = 200
    stops: bool = False


def execute(binding: Binding, body: Any, *, read_only: bool) -> tuple[int, Answer]:
    """Execute `{command | commands, parameters?, dry_run?}` in the one bound scope; the HTTP status and the answer.

    A refused request or command is an answer with `error`. The caller is inside the Space. Raises KndlError where the
    Space or its database is not there.
    """
    try:
        given = read_commands(body)
    except KipError as error:
        return error.http_status, {"error": error.as_json()}
    ensure(binding.one.pk)
    if given.is_batch:
        return 200, {"result": _batch(binding, given, read_only=read_only)}
    outcome = _executed(binding, given.commands[0], dry_run=given.dry_run, read_only=read_only)
    return outcome.status, outcome.answer


def _batch(binding: Binding, given: Commands, *, read_only: bool) -> list[Answer]:
    """The answers in order. A change that fails as it is executed is the last."""
    answers = []
    for command in given.commands:
        outcome = _executed(binding, command, dry_run=given.dry_run, read_only=read_only)
        answers.append(outcome.answer)
        if outcome.stops:
            break
    return answers


def _executed(binding: Binding, command: Command, *, dry_run: bool, read_only: bool) -> _Outcome:
    logged = Logged("execute_kip_readonly" if read_only else "execute_kip", command.text, dry_run=dry_run)
    try:
        text = parse(command.text, command.parameters)
        logged = logged.of(text)
        _require_allowed(binding, text, read_only=read_only)
    except KipError as error:
        return _refused(binding, logged, error.located(command.text))
    except Exception:
        log.exception("kip_failed")
        return _refused(binding, logged, _unexpected())
    run = _change if text.writes else _query
    try:
        return _Outcome(run(binding, text, logged))
    except RunningFault as error:
        if dry_run:
            return _Outcome({"result": {} if text.writes else []})
        return _refused(binding, logged, error.located(command.text), stops=text.writes)
    except (KipError, DatabaseError) as error:
        return _refused(binding, logged, _as_kip(error).located(command.text), stops=text.writes)
    except KndlError:
        raise
    except Exception:
        log.exception("kip_failed")
        return _refused(binding, logged, _unexpected(), stops=text.writes)


def _query(binding: Binding, text: Text, logged: Logged) -> Answer:
    (statement,) = text.statements
    assert isinstance(statement, Query)
    with memory_transaction() as act:
        # That something was read need not wait for the disk, but for PHI.
        _limit_time("synchronous_commit = off")
        graph = graph_of(binding, now())
        if graph.released:
            run_sql("set local synchronous_commit = on", {})
        result, cursor = answer(graph, statement)
        note(act, binding, logged, graph)
    return {"result": result} if cursor is None else {"result": result, "next_cursor": cursor}


def _change(binding: Binding, text: Text, logged: Logged) -> Answer:
    def write(act: Act) -> Json:
        _limit_time()
        graph = graph_of(binding, now())
        result = apply(act, graph, text)
        if logged.dry_run:
            raise _NotKept(result)
        note(act, binding, logged, graph)
        return result

    try:
        return {"result": attempted(write)}
    except _NotKept as done:
        note_alone(binding, logged)
        return {"result": _without_ids(done.result)}


def _without_ids(result: Json) -> Json:
    """The result of a dry run: the elements that it would have made have no ids."""
    return {key: [] if isinstance(value, list) else value for key, value in result.items()}


def _require_allowed(binding: Binding, text: Text, *, read_only: bool) -> None:
    if not text.writes:
        return
    if read_only:
        raise KipError(
            "KIP_1001", "This text changes memory, and the method only reads.", hint="Send it to execute_kip."
        )
    if not rules.test_rule("memory:write", binding.caller, binding.space):
        raise KipError("KIP_3004", "You may not change this memory.", hint="Ask for the verb memory:write.")


def _limit_time(*more: str) -> None:
    run_sql("".join(f"set local {setting};" for setting in (*_SETTINGS, *more)), {})


def _as_kip(error: KipError | DatabaseError) -> KipError:
    """The KIP error of what the database refused. Raises it again where the database itself is out of reach."""
    if isinstance(error, KipError):
        return error
    if isinstance(error.__cause__, QueryCanceled):
        return KipError("KIP_4001", f"This took more than {SECONDS} seconds.")
    if isinstance(error.__cause__, InvalidRegularExpression):
        return KipError("KIP_1001", "A regular expression is not valid.")
    if isinstance(error, OperationalError) and not isinstance(error, DataError):
        raise error
    log.error("kip_failed", exc_info=error)
    return _unexpected()


def _unexpected() -> KipError:
    return KipError("KIP_4003", "Something went wrong here.")


def _refused(binding: Binding, logged: Logged, error: KipError, *, stops: bool = False) -> _Outcome:
    note_alone(binding, logged.failed(error.code))
    return _Outcome({"error": error.as_json()}, error.http_status, stops)
