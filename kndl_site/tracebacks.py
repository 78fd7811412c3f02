"""Tracebacks for the log, without what people wrote: PostgreSQL, pydantic and Python quote the values they refuse."""

import re
import traceback
from collections.abc import Iterator

import psycopg
from django.db import Error as DjangoDatabaseError
from django.template import VariableDoesNotExist
from pydantic import ValidationError
from structlog.typing import EventDict, WrappedLogger

# Built-in errors quote the value that they are about.
_QUOTED = re.compile(r"""b?(['"]).*\1""", re.DOTALL)


def without_content(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """A structlog processor that turns `exc_info` into the text `exception`."""
    given = event.pop("exc_info", None)
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["exception"] = traceback_of(error)
    return event


def traceback_of(error: BaseException) -> str:
    """The traceback of `error` and of what it arose from, the first cause first."""
    return "\nwhich led to:\n".join(reversed([_part(step) for step in _chain(error)]))


def _part(error: BaseException) -> str:
    name = f"{type(error).__module__}.{type(error).__qualname__}"
    return "".join([*traceback.format_tb(error.__traceback__), f"{name}: {_said(error)}"])


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        yield step
        step = step.__cause__ or (None if step.__suppress_context__ else step.__context__)


def _said(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        return f"{error.error_count()} fields of {error.title}"
    cause = error.__cause__ if isinstance(error, DjangoDatabaseError) else error
    if isinstance(cause, psycopg.Error) and cause.sqlstate:
        about = (cause.diag.table_name, cause.diag.column_name, cause.diag.constraint_name)
        return " ".join([f"SQLSTATE {cause.sqlstate}", *filter(None, about)])
    if isinstance(error, VariableDoesNotExist):
        return "a variable of a template is missing"  # the message holds all that the template was given
    if isinstance(error, ValueError | LookupError):
        return _QUOTED.sub("…", str(error))
    return str(error)
