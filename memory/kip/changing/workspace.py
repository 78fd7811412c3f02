"""What one text has read and changed so far. Everything is locked as it is read, and written at the end at once."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from memory.kip.elements import Act, Concept, Element, Link
from memory.kip.graph import HIDDEN, Graph, graph_values, visible_sql
from memory.kip.language.errors import KipError
from memory.kip.rules.protection import changes_directives, is_structure, protected
from memory.kip.rules.values import Json, same
from memory.kip.schema.registry import Registry, registry
from memory.layers.elements import new_ids, run_sql
from memory.layers.merging import standing_for

# One text at a time changes a graph: what a WHERE found still stands when it is written, and no link loses its end.
_LOCK = 0x6B6970
_CONCEPTS = (
    f"select n.id, n.type, n.name, n.text, n.layer::int, n.version, n.attributes, n.metadata, {visible_sql('n')},"
    " n.phi_ref is not null or n.classification is not distinct from 'PHI'"
    " from node n where n.scope = %(g_scope)s and {which} order by n.id for update of n"
)
_BY_NAME = "(n.type, n.name) in (select * from unnest(%(types)s::text[], %(names)s::text[]))"
_BY_ENDS = (
    "(k.subject, k.predicate, k.object) in"
    " (select * from unnest(%(subjects)s::bigint[], %(predicates)s::text[], %(objects)s::bigint[]))"
)
_LINKS = (
    "{hidden}select k.id, k.subject, k.predicate, k.object, k.version, k.attributes, k.metadata from link k"
    " where k.scope = %(g_scope)s and {which} order by k.id for update of k"
)
_UNHIDDEN = " and k.id not in (select id from hidden)"


def stands_for_fact(at: int | None) -> KipError:
    """The error for writing what stands for a PHI fact that was released to be read."""
    return KipError(
        "KIP_2002", "This concept stands for a PHI fact.", hint="Supersede the fact; the graph holds no PHI.", at=at
    )


class Workspace:
    """The elements of a text. Raises KipError for what may not be."""

    def __init__(self, graph: Graph) -> None:
        run_sql("select pg_advisory_xact_lock(%(lock)s, %(scope)s)", {"lock": _LOCK, "scope": graph.scope})
        self.graph = graph
        self.registry: Registry = registry(graph)
        self.statement = 0
        self.concepts: dict[int, Concept] = {}
        self.links: dict[int, Link] = {}
        self._by_name: dict[tuple[str, str], Concept | None] = {}
        self._by_ends: dict[tuple[int, str, int], Link | None] = {}
        self._withheld: set[tuple[str, str]] = set()
        self._replaced: dict[tuple[str, str], int] = {}
        self._ids: list[int] = []

    def read_named(self, keys: Iterable[tuple[str, str]]) -> None:
        """Read the concepts of these types and names that were not read yet."""
        wanted = sorted(set(keys) - self._by_name.keys())
        if not wanted:
            return
        self._by_name |= dict.fromkeys(wanted)
        self._read_concepts(_BY_NAME, types=[type for type, _ in wanted], names=[name for _, name in wanted])

    def read_concepts(self, ids: Iterable[int]) -> None:
        """Read these nodes."""
        wanted = sorted(set(ids) - self.concepts.keys())
        if wanted:
            self._read_concepts("n.id = any(%(ids)s)", ids=wanted)

    def read_links(self, ids: Iterable[int]) -> None:
        """Read these links."""
        wanted = sorted(set(ids) - self.links.keys())
        if wanted:
            self._read_links("k.id = any(%(ids)s)", ids=wanted)

    def read_ends(self, ends: Iterable[tuple[int, str, int]]) -> None:
        """Read the links with these ends that were not looked for yet."""
        wanted = sorted(set(ends) - self._by_ends.keys())
        if wanted:
            self._by_ends |= dict.fromkeys(wanted)
            subjects, predicates, objects = (list(column) for column in zip(*wanted, strict=True))
            self._read_links(_BY_ENDS, subjects=subjects, predicates=predicates, objects=objects)

    def named(self, type: str, name: str, *, at: int | None = None) -> Concept | None:
        """The concept of that type and name, or what stands in for it since it was corrected or merged.

        None where there is none. Raises KIP_2002 where it is withheld.
        """
        self.read_named([(type, name)])
        if (type, name) in self._replaced and self._by_name[type, name] is None:
            number = self._replaced[type, name]
            self._by_name[type, name] = self.concept(standing_for([number])[number])
        if (type, name) in self._withheld:
            raise KipError("KIP_2002", f'A {type} cannot be called "{name}" here.', hint="Choose another name.", at=at)
        return self._by_name[type, name]

    def known(self, type: str, name: str) -> Concept | None:
        """A concept that was read already; None for any other."""
        return self._by_name.get((type, name))

    def concept(self, number: int) -> Concept | None:
        """The concept of that number; None where there is none, or it is gone."""
        self.read_concepts([number])
        found = self.concepts.get(number)
        return None if found is None or found.is_gone else found

    def link(self, number: int) -> Link | None:
        """The link of that number, likewise."""
        self.read_links([number])
        found = self.links.get(number)
        return None if found is None or found.is_gone else found

    def link_at(self, subject: int, predicate: str, object: int) -> Link | None:
        """The link with these ends; None where there is none."""
        ends = (subject, predicate, object)
        if not self._is_made_here(subject) and not self._is_made_here(object):
            self.read_ends([ends])
        found = self._by_ends.get(ends)
        return None if found is None or found.is_gone or found.ends != ends else found

    def touching(self, ends: Iterable[int]) -> list[Link]:
        """The links that have one of these elements as an end, by number."""
        wanted = set(ends)
        known = sorted(wanted)
        self._read_links("k.subject = any(%(ends)s)", ends=known)
        self._read_links("k.object = any(%(ends)s)", ends=known)
        found = (link for link in self.links.values() if link.subject in wanted or link.object in wanted)
        return sorted((link for link in found if not link.is_gone), key=lambda link: link.id)

    def reserve(self, count: int) -> None:
        """Take numbers for as many new elements at once."""
        self._ids += new_ids(count)

    def make_concept(self, type: str, name: str) -> Concept:
        """A new concept without attributes."""
        concept = Concept(self._new_id(), 0, {}, {}, type=type, name=name)
        concept.begin(self.statement, Act.CREATE)
        self.concepts[concept.id] = self._by_name[type, name] = concept
        return concept

    def make_link(self, subject: int, predicate: str, object: int) -> Link:
        """A new link without attributes."""
        link = Link(self._new_id(), 0, {}, {}, subject=subject, predicate=predicate, object=object)
        link.begin(self.statement, Act.CREATE)
        self.links[link.id] = self._by_ends[link.ends] = link
        return link

    def write(
        self,
        element: Element,
        attributes: dict[str, Json],
        metadata: dict[str, Json],
        act: str,
        *,
        at: int | None = None,
    ) -> bool:
        """Give an element these attributes and this metadata; whether that changed anything. Raises KIP_3004."""
        if same(element.attributes, attributes) and same(element.metadata, metadata):
            return False
        self.require_changeable(element, at=at)
        if isinstance(element, Concept):
            self._require_directives(element, attributes, at)
        element.begin(self.statement, act)
        element.attributes, element.metadata = attributes, metadata
        if isinstance(element, Concept):
            self.registry.define(element.type, element.name, attributes)
        return True

    def repoint(self, link: Link, subject: int, object: int) -> None:
        """Give a link other ends; nothing has them yet."""
        link.begin(self.statement, Act.REPOINT)
        link.subject, link.object = subject, object
        self._by_ends[link.ends] = link

    def remove(self, element: Element, act: str = Act.DELETE) -> None:
        """Take an element out of the graph. Raises KIP_3004 for a link of the protected structure."""
        self.require_changeable(element)
        element.begin(self.statement, act)
        element.is_gone = True
        if isinstance(element, Concept):
            self._by_name[element.type, element.name] = None

    def remove_links(self, ends: Iterable[int]) -> int:
        """Remove every link that has one of these as an end, and those that have such a link; how many there were."""
        frontier, count = set(ends), 0
        while frontier:
            going = self.touching(frontier)
            for link in going:
                self.remove(link)
            count += len(going)
            frontier = {link.id for link in going}
        return count

    def require_changeable(self, element: Element, *, at: int | None = None) -> None:
        """Raise KIP_3004 for a concept of the protected structure, and for a link that has one as its subject.

        Raises KIP_2002 for one that stands for a PHI fact.
        """
        if isinstance(element, Concept) and element.is_phi:
            raise stands_for_fact(at)
        if self.graph.privileged:
            return
        if isinstance(element, Link):
            self.require_subject(element.subject, at=at)
        elif isinstance(element, Concept) and is_structure(element.type, element.name):
            raise protected(element.type, element.name, "it stays as it is", at=at)

    def _require_directives(self, concept: Concept, attributes: dict[str, Json], at: int | None) -> None:
        if concept.is_new or self.graph.privileged:
            return
        if changes_directives(concept.type, concept.name, concept.attributes, attributes):
            raise protected(concept.type, concept.name, "its core directives stay as they are", at=at)

    def require_subject(self, number: int, *, at: int | None = None) -> None:
        """Raise KIP_3004 where a link may not be written because of its subject."""
        subject = self.concept(number)
        if subject is not None and is_structure(subject.type, subject.name) and not self.graph.privileged:
            raise protected(subject.type, subject.name, "its links stay as they are", at=at)

    def _is_made_here(self, number: int) -> bool:
        element: Element | None = self.concepts.get(number) or self.links.get(number)
        return element is not None and element.is_new

    def _new_id(self) -> int:
        if not self._ids:
            self._ids = new_ids(1)
        return self._ids.pop(0)

    def _read_concepts(self, which: str, **values: Any) -> None:
        for row in run_sql(_CONCEPTS.replace("{which}", which), graph_values(self.graph) | values):
            self._take_concept(row)

    def _take_concept(self, row: Sequence[Any]) -> None:
        number, type, name, text, layer, version, attributes, metadata, is_visible, is_phi = row
        if not is_visible:
            if is_phi:
                self._withheld.add((type, name))
            else:
                self._replaced[type, name] = number
            return
        if number in self.concepts:
            return
        concept = Concept(
            number, version, json.loads(attributes), json.loads(metadata), type=type, name=name, text=text, layer=layer
        )
        concept.found, concept.is_phi = concept.standing(), is_phi
        self.concepts[number] = self._by_name[type, name] = concept

    def _read_links(self, which: str, **values: Any) -> None:
        withholds = self.graph.withholds
        sql = _LINKS.replace("{hidden}", f"with recursive {HIDDEN} " if withholds else "")
        sql = sql.replace("{which}", which + (_UNHIDDEN if withholds else ""))
        for row in run_sql(sql, graph_values(self.graph) | values):
            self._take_link(row)

    def _take_link(self, row: Sequence[Any]) -> None:
        number, subject, predicate, object, version, attributes, metadata = row
        if number in self.links:
            return
        link = Link(
            number,
            version,
            json.loads(attributes),
            json.loads(metadata),
            subject=subject,
            predicate=predicate,
            object=object,
        )
        link.found = link.standing()
        self.links[number] = link
        self._by_ends.setdefault(link.ends, link)
        if self._by_ends[link.ends] is None:
            self._by_ends[link.ends] = link
