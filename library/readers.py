"""Who reads the Library in a Space: told by the rooms that know."""

from collections.abc import Callable
from dataclasses import dataclass

from common.registries import Registry
from spaces.models import Space


@dataclass(frozen=True)
class Reader:
    """One who has the Library mounted, read-only: a name, and what is to be known of it in a few words."""

    name: str
    about: str


library_readers: Registry[Callable[[Space], list[Reader]]] = Registry("kind of reader of the Library")


def readers_in(space: Space) -> list[Reader]:
    """Everybody who reads the Library in this Space, by name."""
    return sorted((reader for _, find in library_readers for reader in find(space)), key=lambda reader: reader.name)
