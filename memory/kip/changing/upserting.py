"""UPSERT: blocks in their order; what is named by type and name or by its ends is matched, or made."""

from typing import Any

from memory.kip.changing.naming import joined_by, keys_of
from memory.kip.changing.workspace import Workspace
from memory.kip.elements import Act, Concept, Element, Link
from memory.kip.graph import number_of
from memory.kip.language.errors import KipError
from memory.kip.language.tree import (
    ConceptBlock,
    ConceptKey,
    Json,
    LinkBlock,
    LinkId,
    LinkKey,
    SetLink,
    Target,
    Upsert,
    Variable,
)
from memory.kip.rules.values import merged


class Upserting:
    """The UPSERTs of one text. Handles hold for all that follows."""

    def __init__(self, workspace: Workspace) -> None:
        self._space = workspace
        self._handles: dict[str, Element] = {}
        self._concepts: list[str] = []
        self._links: list[str] = []

    def run(self, upserts: tuple[Upsert, ...]) -> dict[str, Json]:
        """Execute them and return the result. Raises KipError; the workspace is of no use then."""
        self._read_ahead(upserts)
        for turn, upsert in enumerate(upserts):
            self._space.statement = turn
            for block in upsert.blocks:
                if isinstance(block, ConceptBlock):
                    self._concept(block, upsert.metadata)
                else:
                    self._link(block, upsert.metadata)
        return {
            "blocks": len(upserts),
            "upsert_concept_nodes": self._concepts,
            "upsert_proposition_links": self._links,
        }

    def _concept(self, block: ConceptBlock, default: dict[str, Json] | None) -> None:
        concept = self._matched(block)
        entry = 0 if concept is None else concept.version_at_entry(self._space.statement)
        self._expect(block.version, entry, block.key, block.at)
        if concept is None:
            concept = self._made(block.key)
        metadata = merged(default, block.metadata)
        self._write(concept, block.attributes, metadata, block.at)
        for link in block.links or ():
            self._set_link(concept, link, metadata)
        if concept.is_new:
            self._space.registry.define(concept.type, concept.name, concept.attributes)
        self._concepts.append(concept.called)
        if block.variable is not None:
            self._handles[block.variable.name] = concept

    def _matched(self, block: ConceptBlock) -> Concept | None:
        """The concept that a block means; None where it is to be made."""
        key = block.key
        if key.id is None:
            self._space.registry.require_type(str(key.type), at=key.at)
            return self._space.named(str(key.type), str(key.name), at=key.at)
        found = self._by_id(key)
        if found is None and block.version:
            self._expect(block.version, 0, key, block.at)
        return found if found is not None else self._missing(f"No concept has the id {key.id}.", key.at)

    def _made(self, key: ConceptKey) -> Concept:
        concept = self._space.make_concept(str(key.type), str(key.name))
        if not self._space.graph.privileged:
            # A definition that was taken away comes back by its capsule, not by whoever names it.
            self._space.require_changeable(concept, at=key.at)
        return concept

    def _link(self, block: LinkBlock, default: dict[str, Json] | None) -> None:
        if isinstance(block.key, LinkId):
            link = self._link_by_id(block.key)
            entry = 0 if link is None else link.version_at_entry(self._space.statement)
            if link is None and block.version:
                self._expect(block.version, 0, block.key, block.at)
            if link is None:
                self._missing(f"No proposition has the id {block.key.id}.", block.key.at)
            self._expect(block.version, entry, block.key, block.at)
        else:
            self._space.registry.require_predicate(block.key.predicate, at=block.key.at)
            subject, object = self._target(block.key.subject), self._target(block.key.object)
            known = self._space.link_at(subject.id, block.key.predicate, object.id)
            entry = 0 if known is None else known.version_at_entry(self._space.statement)
            self._expect(block.version, entry, block.key, block.at)
            link = known or self._joined(subject, block.key.predicate, object, block.key.at)
        assert link is not None
        self._write(link, block.attributes, merged(default, block.metadata), block.at)
        self._links.append(link.called)
        if block.variable is not None:
            self._handles[block.variable.name] = link

    def _set_link(self, subject: Concept, given: SetLink, default: dict[str, Json]) -> None:
        self._space.registry.require_predicate(given.predicate, at=given.at)
        object = self._target(given.object)
        known = self._space.link_at(subject.id, given.predicate, object.id)
        link = known or self._joined(subject, given.predicate, object, given.at)
        self._write(link, None, merged(default, given.metadata), given.at)

    def _joined(self, subject: Element, predicate: str, object: Element, at: int) -> Link:
        """A new link between two elements. Raises KIP_2002 where they may not be joined so, KIP_3004."""
        if subject is object:
            raise KipError(
                "KIP_2002",
                f'A link from an element to itself cannot be made: "{predicate}".',
                hint="Put a concept of its own between the two ends.",
                at=at,
            )
        refusal = self._space.registry.require_predicate(predicate).refusal(_type_of(subject), _type_of(object))
        if refusal is not None:
            raise KipError(
                "KIP_2002",
                f'"{predicate}" {refusal}.',
                hint=f'DESCRIBE PROPOSITION TYPE "{predicate}" tells what it joins.',
                at=at,
            )
        self._space.require_subject(subject.id, at=at)
        return self._space.make_link(subject.id, predicate, object.id)

    def _write(self, element: Element, attributes: dict[str, Json] | None, metadata: dict[str, Json], at: int) -> None:
        self._space.write(
            element, element.attributes | (attributes or {}), element.metadata | metadata, Act.UPSERT, at=at
        )

    def _target(self, target: Target) -> Element:
        """The element that an end names; it must be there. Raises KIP_3001 and KIP_3002."""
        if isinstance(target, Variable):
            if target.name not in self._handles:
                raise KipError(
                    "KIP_3001",
                    f"?{target.name} is not bound by an earlier block.",
                    hint="Put the block that binds it before this one, or name the element by type and name.",
                    at=target.at,
                )
            return self._handles[target.name]
        if isinstance(target, ConceptKey):
            return self._concept_target(target)
        if isinstance(target, LinkId):
            return self._link_by_id(target) or self._missing(f"No proposition has the id {target.id}.", target.at)
        self._space.registry.require_predicate(target.predicate, at=target.at)
        subject, object = self._target(target.subject), self._target(target.object)
        found = self._space.link_at(subject.id, target.predicate, object.id)
        return found or self._missing(f'There is no such "{target.predicate}" proposition.', target.at)

    def _concept_target(self, key: ConceptKey) -> Concept:
        if key.id is not None:
            return self._by_id(key) or self._missing(f"No concept has the id {key.id}.", key.at)
        self._space.registry.require_type(str(key.type), at=key.at)
        found = self._space.named(str(key.type), str(key.name), at=key.at)
        return found or self._missing(f'There is no {{type: "{key.type}", name: "{key.name}"}}.', key.at)

    def _by_id(self, key: ConceptKey) -> Concept | None:
        number = number_of(str(key.id))
        return None if number is None else self._space.concept(number)

    def _link_by_id(self, key: LinkId) -> Link | None:
        number = number_of(key.id)
        return None if number is None else self._space.link(number)

    def _missing(self, message: str, at: int) -> Any:
        raise KipError(
            "KIP_3002", message, hint="SEARCH or FIND it first, or create it in an earlier block of the text.", at=at
        )

    def _expect(self, wanted: int | None, version: int, key: ConceptKey | LinkId | LinkKey, at: int) -> None:
        if wanted is None or wanted == version:
            return
        stands = f"it is at version {version}" if version else "it is not there"
        asked = f"version {wanted} was expected" if wanted else "it was expected not to be there"
        raise KipError(
            "KIP_3005",
            f"{_called(key)}: {asked}, and {stands}. Nothing was written.",
            hint="FIND its metadata._version, look at what changed, and send the text again with that version.",
            at=at,
            data={"expected": wanted, "version": version},
        )

    def _read_ahead(self, upserts: tuple[Upsert, ...]) -> None:
        """Read what the texts name in one statement each, and take numbers for as much as could be new."""
        blocks = [block for upsert in upserts for block in upsert.blocks]
        keys = [key for block in blocks for key in keys_of(block)]
        self._space.read_named(
            (key.type, key.name) for key in keys if isinstance(key, ConceptKey) and key.type and key.name
        )
        numbers = [number_of(key.id) for key in keys if isinstance(key, ConceptKey) and key.id is not None]
        self._space.read_concepts(number for number in numbers if number is not None)
        self._space.read_ends(
            (subject.id, predicate, object.id)
            for ends in joined_by(blocks)
            for subject, predicate, object in [(self._known(ends[0]), ends[1], self._known(ends[2]))]
            if subject is not None and object is not None
        )
        self._space.reserve(len(keys))

    def _known(self, key: Target) -> Concept | None:
        """A concept that an end names and that is there before the text begins."""
        if not isinstance(key, ConceptKey):
            return None
        if key.id is not None:
            return self._by_id(key)
        return self._space.known(str(key.type), str(key.name))


def _type_of(element: Element) -> str | None:
    return element.type if isinstance(element, Concept) else None


def _called(key: ConceptKey | LinkId | LinkKey) -> str:
    if isinstance(key, LinkId):
        return f"Proposition {key.id}"
    if isinstance(key, LinkKey):
        return f'The "{key.predicate}" proposition'
    return f"Concept {key.id}" if key.id is not None else f'{{type: "{key.type}", name: "{key.name}"}}'
