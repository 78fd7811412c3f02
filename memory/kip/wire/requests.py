"""What a request may say. Anything else is refused: a misspelt `dry_run` must not run for real."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memory.kip.language.errors import KipError
from memory.kip.language.tree import Json

Method = Literal["execute_kip", "execute_kip_readonly", "list_logs"]
METHODS: tuple[Method, ...] = ("execute_kip", "execute_kip_readonly", "list_logs")
MOST_COMMANDS = 256
DEFAULT_LOGS, MOST_LOGS = 10, 100
_IGNORED = frozenset({"jsonrpc", "id"})


@dataclass(frozen=True)
class Command:
    """One text with its parameters."""

    text: str
    parameters: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True)
class Commands:
    """What is to be executed, in order; `is_batch` tells whether the answer is a list."""

    commands: tuple[Command, ...]
    is_batch: bool
    dry_run: bool


@dataclass(frozen=True)
class LogPage:
    """Which logs are asked for."""

    cursor: str | None
    limit: int


def read_request(body: Any) -> tuple[Method, dict[str, Any]]:
    """The method of a request and its params. Raises KIP_1001 for any other shape."""
    fields = _object(body, "The body")
    _refuse_unknown(fields, {"method", "params"} | _IGNORED, "the body")
    method = fields.get("method")
    if method not in METHODS:
        raise KipError("KIP_1001", "There is no such method.", hint=f"method is one of {', '.join(METHODS)}.")
    params = fields.get("params")
    return method, {} if params is None and method == "list_logs" else _object(params, "params")


def read_commands(params: Any) -> Commands:
    """What is to be executed. Raises KIP_1001 for any other shape, KIP_4002 for more than 256 commands."""
    fields = _object(params, "params")
    _refuse_unknown(fields, {"command", "commands", "parameters", "dry_run"}, "params")
    command, commands = fields.get("command"), fields.get("commands")
    if (command is None) == (commands is None):
        raise KipError("KIP_1001", "Exactly one of command and commands must be given.", hint='{"command": "…"}')
    shared = _parameters(fields.get("parameters"), "parameters")
    dry_run = fields.get("dry_run")
    if dry_run is not None and not isinstance(dry_run, bool):
        raise KipError("KIP_1001", "dry_run must be true or false.")
    if commands is None:
        if not isinstance(command, str):
            raise KipError("KIP_1001", "command must be text.")
        return Commands((Command(command, shared),), is_batch=False, dry_run=bool(dry_run))
    if not isinstance(commands, list) or not commands:
        raise KipError("KIP_1001", "commands must be a list that is not empty.")
    if len(commands) > MOST_COMMANDS:
        raise KipError("KIP_4002", f"A batch has {MOST_COMMANDS} commands at most.")
    read = tuple(_command(place, one, shared) for place, one in enumerate(commands))
    return Commands(read, is_batch=True, dry_run=bool(dry_run))


def read_log_page(params: Any) -> LogPage:
    """Which logs are asked for. Raises KIP_1001 for any other shape."""
    fields = _object(params, "params")
    _refuse_unknown(fields, {"cursor", "limit"}, "params")
    cursor, limit = fields.get("cursor"), fields.get("limit")
    if cursor is not None and not isinstance(cursor, str):
        raise KipError("KIP_1001", "cursor must be text.")
    if limit is None:
        limit = DEFAULT_LOGS
    if not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= MOST_LOGS:
        raise KipError("KIP_1001", f"limit must be a whole number from 1 to {MOST_LOGS}.")
    return LogPage(cursor, limit)


def _command(place: int, given: Any, shared: Mapping[str, Json]) -> Command:
    if isinstance(given, str):
        return Command(given, shared)
    named = f"commands[{place}]"
    fields = _object(given, named)
    _refuse_unknown(fields, {"command", "parameters"}, named)
    if not isinstance(fields.get("command"), str):
        raise KipError("KIP_1001", f"{named}.command must be text.")
    return Command(fields["command"], {**shared, **_parameters(fields.get("parameters"), f"{named}.parameters")})


def _parameters(given: Any, named: str) -> dict[str, Json]:
    return {} if given is None else _object(given, named)


def _object(given: Any, named: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise KipError("KIP_1001", f"{named} must be an object.")
    return given


def _refuse_unknown(fields: Mapping[str, Any], known: set[str] | frozenset[str], named: str) -> None:
    unknown = sorted(set(fields) - known)
    if unknown:
        raise KipError(
            "KIP_1001", f"Unknown field in {named}: {unknown[0]}.", hint=f"It may have {', '.join(sorted(known))}."
        )
