"""KML: from rules to the tree."""

from collections.abc import Iterator
from typing import Any

from memory.kip.language import tree
from memory.kip.language.building_queries import named_keys
from memory.kip.language.faults import syntax
from memory.kip.language.given import integer_given, number_given, object_given, string_given, unique, variable_of
from memory.kip.language.piece import Piece

_OPERANDS = {"ADD": 2, "MUL": 2, "CLAMP": 3, "COALESCE": 2}


class ValueBuilder:
    """The rules of JSON values."""

    def scalar(self, piece: Piece) -> tree.Json:
        return piece.value

    def array(self, *values: tree.Json) -> list[tree.Json]:
        # The optional comma at the end leaves nothing behind.
        return list(values)

    def member(self, key: Piece, value: tree.Json) -> tuple[Piece, tree.Json]:
        return key, value

    def object(self, *members: tuple[Piece, tree.Json]) -> dict[str, tree.Json]:
        return unique(members)


class UpsertBuilder(ValueBuilder):
    """The rules of UPSERT."""

    def upsert(self, word: Piece, *parts: Any) -> tree.Upsert:
        *blocks, metadata = parts
        return tree.Upsert(tuple(blocks), metadata, word.at)

    def metadata(self, _word: Piece, given: dict[str, tree.Json] | Piece) -> dict[str, tree.Json]:
        return object_given(given)

    def expect(self, given: Piece) -> int:
        return integer_given(given, 0, "EXPECT VERSION")

    def set_attributes(self, word: Piece, given: dict[str, tree.Json] | Piece) -> tuple[Piece, Any]:
        return word, object_given(given)

    def set_links(self, word: Piece, *links: tree.SetLink) -> tuple[Piece, Any]:
        return word, links

    def set_link(self, predicate: Piece, target: tree.Target, metadata: dict[str, tree.Json] | None) -> tree.SetLink:
        return tree.SetLink(string_given(predicate), target, metadata, predicate.at)

    def concept_block(
        self, word: Piece, handle: Piece | None, key: tree.ConceptKey, version: int | None, *parts: Any
    ) -> tree.ConceptBlock:
        *settings, metadata = parts
        said = _once(settings)
        return tree.ConceptBlock(
            variable_of(handle) if handle else None,
            key,
            version,
            said.get("ATTRIBUTES"),
            said.get("PROPOSITIONS"),
            metadata,
            word.at,
        )

    def link_block(
        self, word: Piece, handle: Piece | None, key: tree.LinkId | tree.LinkKey, version: int | None, *parts: Any
    ) -> tree.LinkBlock:
        *settings, metadata = parts
        said = _once(settings)
        return tree.LinkBlock(
            variable_of(handle) if handle else None, key, version, said.get("ATTRIBUTES"), metadata, word.at
        )

    def concept_key(self, *parts: Any) -> tree.ConceptKey:
        said = named_keys(parts[1::2])
        at = parts[0].at
        if set(said) not in ({"id"}, {"type", "name"}):
            raise syntax(
                "A write names its concept by type and name together, or by id alone.",
                'Write {type: "…", name: "…"} or {id: "…"}.',
                at,
            )
        return tree.ConceptKey(said.get("id"), said.get("type"), said.get("name"), at)

    def link_key(self, opening: Piece, *parts: Any) -> tree.LinkKey:
        return tree.LinkKey(parts[0], string_given(parts[2]), parts[4], opening.at)


class ChangeBuilder(UpsertBuilder):
    """The rules of UPDATE, MERGE and DELETE."""

    def update(self, word: Piece, name: Piece, *parts: Any) -> tree.Update:
        *settings, where, limit = parts
        said = _once(settings)
        target = variable_of(name)
        for value in [*said.get("ATTRIBUTES", {}).values(), *said.get("METADATA", {}).values()]:
            for path in _paths(value):
                _require_target(path, target)
        return tree.Update(target, said.get("ATTRIBUTES"), said.get("METADATA"), where, limit, word.at)

    def setting(self, word: Piece, given: dict[str, Any] | Piece) -> tuple[Piece, Any]:
        values = object_given(given)
        if not values:
            raise syntax(f"SET {word.value} sets nothing.", "Give a key and its value, or leave it out.", word.at)
        return word, values

    def settings(self, *members: tuple[Piece, Any]) -> dict[str, Any]:
        return unique(members)

    def setting_member(self, key: Piece, value: Any) -> tuple[Piece, Any]:
        return key, value

    def arithmetic(self, function: Piece, *operands: Any) -> tree.Arithmetics:
        wanted = _OPERANDS[function.value]
        if len(operands) != wanted:
            raise syntax(f"{function.value} takes {wanted} operands, not {len(operands)}.", None, function.at)
        return tree.Arithmetics(function.value, operands, function.at)

    def amount(self, given: Piece) -> int | float:
        return number_given(given)

    def merge(
        self, word: Piece, _concept: Piece, source: Piece, target: Piece, where: tuple[tree.Clause, ...]
    ) -> tree.Merge:
        return tree.Merge(variable_of(source), variable_of(target), where, word.at)

    def keys(self, *names: Piece) -> tuple[str, ...]:
        return tuple(string_given(name) for name in names)

    def delete_keys(
        self, word: Piece, part: Piece, keys: tuple[str, ...], target: Piece, where: tuple[tree.Clause, ...]
    ) -> tree.DeleteKeys:
        return tree.DeleteKeys(part.value.lower(), keys, variable_of(target), where, word.at)

    def delete_links(
        self, word: Piece, _propositions: Piece, target: Piece, where: tuple[tree.Clause, ...]
    ) -> tree.DeleteLinks:
        return tree.DeleteLinks(variable_of(target), where, word.at)

    def delete_concepts(
        self, word: Piece, _concept: Piece, target: Piece, where: tuple[tree.Clause, ...]
    ) -> tree.DeleteConcepts:
        return tree.DeleteConcepts(variable_of(target), where, word.at)


def _once(settings: list[tuple[Piece, Any]]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for word, value in settings:
        if word.value in said:
            raise syntax(f"SET {word.value} is said twice.", "Put all its keys into one SET.", word.at)
        said[word.value] = value
    return said


def _paths(value: Any) -> Iterator[tree.Path]:
    if isinstance(value, tree.Path):
        yield value
    elif isinstance(value, tree.Arithmetics):
        for operand in value.operands:
            yield from _paths(operand)


def _require_target(path: tree.Path, target: tree.Variable) -> None:
    if path.variable.name != target.name:
        raise syntax(
            f"An expression reads the element it changes, ?{target.name}, not ?{path.variable.name}.",
            f"Write ?{target.name}.….",
            path.variable.at,
        )
