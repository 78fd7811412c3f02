"""Which databases have a chain. The room of Spaces fills this in, since audit knows none of them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

Opened = Callable[[], AbstractContextManager[str]]
Source = Callable[[], Iterator[tuple[str, Opened]]]

_sources: list[Source] = []


def register(source: Source) -> None:
    """Add a source of (name, context manager that yields a database alias)."""
    _sources.append(source)


def audited_databases() -> Iterator[tuple[str, Opened]]:
    """The control database, then what the sources know."""
    yield "control", lambda: nullcontext("default")
    for source in _sources:
        yield from source()
