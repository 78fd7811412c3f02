"""Elements in the hands of a text: as they were found, and as they will stand."""

from dataclasses import dataclass, field
from typing import Any

from memory.kip.graph import concept_id, link_id
from memory.kip.models import ElementHistory
from memory.kip.rules.values import Json

Act = ElementHistory.Act
NOWHERE = -1


@dataclass(frozen=True)
class Standing:
    """An element at one version, as its history keeps it."""

    act: str
    version: int
    names: dict[str, Any]
    attributes: dict[str, Json]
    metadata: dict[str, Json]


@dataclass
class Element:
    """A node or a link. `found` is None for one that the text makes; `statement` is the last that changed it.

    `entry_version` is the version it had when that statement began, 0 for one that was not there.
    """

    id: int
    version: int
    attributes: dict[str, Json]
    metadata: dict[str, Json]
    found: Standing | None = None
    statement: int = NOWHERE
    entry_version: int = 0
    act: str = Act.FOUND
    is_gone: bool = False
    earlier: list[Standing] = field(default_factory=list)

    @property
    def is_new(self) -> bool:
        return self.found is None

    @property
    def is_changed(self) -> bool:
        return self.statement != NOWHERE

    @property
    def names(self) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def called(self) -> str:
        """Its id in texts and answers."""
        raise NotImplementedError

    def standing(self) -> Standing:
        """How it stands now."""
        return Standing(self.act, self.version, self.names, self.attributes, self.metadata)

    def begin(self, statement: int, act: str) -> None:
        """Note that a statement changes it: the first change by each makes a new version."""
        if self.statement == statement:
            if act == Act.DELETE or self.act != Act.CREATE:
                self.act = act
            return
        if self.is_changed:
            self.earlier.append(self.standing())
        self.entry_version, self.statement, self.act = self.version, statement, act
        self.version += 1

    def version_at_entry(self, statement: int) -> int:
        """The version it had when a statement began."""
        return self.entry_version if self.statement == statement else self.version


@dataclass
class Concept(Element):
    """A node. `is_phi`: it stands for a PHI fact, and holds none of its words."""

    type: str = ""
    name: str = ""
    text: str = ""
    layer: int = 0
    is_phi: bool = False

    @property
    def names(self) -> dict[str, Any]:
        return {"type": self.type, "name": self.name}

    @property
    def called(self) -> str:
        return concept_id(self.id)


@dataclass
class Link(Element):
    """A link; its ends are nodes or links."""

    subject: int = 0
    predicate: str = ""
    object: int = 0

    @property
    def names(self) -> dict[str, Any]:
        return {"subject": self.subject, "predicate": self.predicate, "object": self.object}

    @property
    def ends(self) -> tuple[int, str, int]:
        return self.subject, self.predicate, self.object

    @property
    def called(self) -> str:
        return link_id(self.id)
