"""What no text may write wherever it stands; looked for before anything is read."""

from collections.abc import Iterator, Mapping
from typing import Any

from memory.kip.language.errors import KipError
from memory.kip.language.tree import (
    Arithmetics,
    ConceptBlock,
    ConceptKey,
    DeleteKeys,
    LinkBlock,
    LinkKey,
    Path,
    Text,
    Update,
    Upsert,
)
from memory.kip.rules.values import Json, reserved_key, says_phi, unstorable

# In bytes of UTF-8: type and name stand in one index.
LONGEST_NAME = 1_000

Written = tuple[Mapping[str, Json] | None, bool, int]
"""An object that is to be stored, whether it is metadata, and where it stands in the text."""


def check(text: Text) -> None:
    """Raise KIP_2002 for a reserved key or PHI, KIP_2003 for a value and KIP_4002 for a name that cannot be stored.

    Raises KIP_1001 for an expression of something else than a key of attributes or metadata.
    """
    for written, is_metadata, at in _written(text):
        key = reserved_key(written) if is_metadata else None
        if key is not None:
            raise KipError(
                "KIP_2002",
                f'The metadata key "{key}" is kept by the engine: keys that begin with _ can be read alone.',
                hint="Leave it out; choose a key without the underscore for what you want to note.",
                at=at,
            )
        if says_phi(written):
            raise KipError(
                "KIP_2002",
                "What is classified as PHI is not kept in the graph.",
                hint="Record it as a fact: facts hold PHI sealed, under a consent and for a purpose.",
                at=at,
            )
        _require_storable(written, at)
    for path, at in _paths(text):
        if path.fields[:1] not in (("attributes",), ("metadata",)) or len(path.fields) < 2:
            raise KipError(
                "KIP_1001",
                f"An expression takes a number of the target's attributes or metadata, not ?{_dotted(path)}.",
                hint=f"Name the key: ?{path.variable.name}.attributes.key or ?{path.variable.name}.metadata.key.",
                at=at,
            )
    for name, at in _names(text):
        _require_storable(name, at)
        if len(name.encode()) > LONGEST_NAME:
            raise KipError(
                "KIP_4002",
                f"A name is longer than {LONGEST_NAME:,} bytes.",
                hint="Give it a short name, and put the rest into an attribute.",
                at=at,
            )


def _require_storable(value: Any, at: int) -> None:
    reason = unstorable(value)
    if reason is not None:
        raise KipError("KIP_2003", f"A value {reason}, which cannot be kept.", hint="Leave that out.", at=at)


def _written(text: Text) -> Iterator[Written]:
    for statement in text.statements:
        if isinstance(statement, Upsert):
            yield statement.metadata, True, statement.at
            for block in statement.blocks:
                yield from _of_block(block)
        elif isinstance(statement, Update):
            yield _plain(statement.attributes), False, statement.at
            yield _plain(statement.metadata), True, statement.at
        elif isinstance(statement, DeleteKeys):
            yield dict.fromkeys(statement.keys), statement.part == "metadata", statement.at


def _of_block(block: ConceptBlock | LinkBlock) -> Iterator[Written]:
    yield block.attributes, False, block.at
    yield block.metadata, True, block.at
    if isinstance(block, ConceptBlock):
        for link in block.links or ():
            yield link.metadata, True, link.at


def _plain(values: Mapping[str, Json | Arithmetics] | None) -> dict[str, Json]:
    return {key: None if isinstance(value, Arithmetics) else value for key, value in (values or {}).items()}


def _paths(text: Text) -> Iterator[tuple[Path, int]]:
    """The paths in the expressions of an UPDATE."""
    for statement in text.statements:
        if isinstance(statement, Update):
            for value in [*(statement.attributes or {}).values(), *(statement.metadata or {}).values()]:
                yield from _paths_in(value)


def _paths_in(value: Json | Arithmetics) -> Iterator[tuple[Path, int]]:
    for operand in value.operands if isinstance(value, Arithmetics) else ():
        if isinstance(operand, Path):
            yield operand, value.at
        else:
            yield from _paths_in(operand)


def _dotted(path: Path) -> str:
    return ".".join((path.variable.name, *path.fields))


def _names(text: Text) -> Iterator[tuple[str, int]]:
    """The names that an UPSERT could give to something new."""
    for statement in text.statements:
        for block in statement.blocks if isinstance(statement, Upsert) else ():
            key = block.key
            if isinstance(key, ConceptKey):
                yield from ((name, key.at) for name in (key.id, key.type, key.name) if name is not None)
            elif isinstance(key, LinkKey):
                yield key.predicate, key.at
