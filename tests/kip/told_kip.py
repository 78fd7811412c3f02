"""A graph that a test tells things to: one scope of a Space, seeded, and KIP texts that change and read it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connections

from common.times import now
from memory.kip.answering import elements
from memory.kip.changing import apply
from memory.kip.graph import graph_of, number_of
from memory.kip.language.errors import KipError
from memory.kip.language.parsing import parse
from memory.kip.seeding import ensure
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import attempted
from spaces.models import Scope

TYPES = """
UPSERT {
  CONCEPT { {type: "$ConceptType", name: "Station"} SET ATTRIBUTES { description: "A stop.",
    instance_schema: { zone: {type: "number", is_required: false}, owner: {type: "string", is_required: true},
      kind: {type: "string", enum: ["tram", "bus"]} } } }
  CONCEPT { {type: "$ConceptType", name: "Line"} SET ATTRIBUTES { description: "A line." } }
  CONCEPT { {type: "$PropositionType", name: "next_stop"}
    SET ATTRIBUTES { description: "adjacency", subject_types: ["Station"], object_types: ["Station"] } }
  CONCEPT { {type: "$PropositionType", name: "served_by"}
    SET ATTRIBUTES { description: "service", subject_types: ["Station"], object_types: ["Line"] } }
  CONCEPT { {type: "$PropositionType", name: "feeds"} SET ATTRIBUTES { description: "bus" } }
  CONCEPT { {type: "$PropositionType", name: "reported"}
    SET ATTRIBUTES { description: "a claim", subject_types: ["*"], object_types: ["*"] } }
}
"""


@dataclass
class Told:
    """Each call enters the Space."""

    space: Any

    @property
    def scope(self) -> int:
        return Scope.objects.filter(space=self.space, owner=None).order_by("pk")[0].pk

    @property
    def binding(self) -> Binding:
        return Binding(self.space, SYSTEM_CALLER, (Scope.objects.get(pk=self.scope),))

    def seeded(self) -> "Told":
        with entered(self.space):
            ensure(self.scope)
        return self

    def tell(self, text: str, **parameters: Any) -> dict[str, Any]:
        """Execute a text and return its result. Raises KipError."""
        binding = self.binding
        parsed = parse(text, parameters)

        def write(act: Any) -> dict[str, Any]:
            result = apply(act, graph_of(binding, now()), parsed)
            act.record(binding.caller.actor, "kip.write", scope=self.scope)
            return result

        with entered(self.space):
            return attempted(write)

    def refused(self, text: str, **parameters: Any) -> KipError:
        """The error that a text meets."""
        try:
            result = self.tell(text, **parameters)
        except KipError as error:
            return error
        raise AssertionError(f"was taken: {result}")

    def rows(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        with entered(self.space) as here, connections[here.alias].cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.description else []

    def node(self, type: str, name: str) -> dict[str, Any] | None:
        """A concept as KIP shows it."""
        rows = self.rows("select id from node where type = %(type)s and name = %(name)s", type=type, name=name)
        return self.element(rows[0][0]) if rows else None

    def link(self, subject: str, predicate: str, object: str) -> dict[str, Any] | None:
        """A link as KIP shows it, by the names of its ends."""
        rows = self.rows(
            "select k.id from link k join node s on s.id = k.subject join node o on o.id = k.object"
            " where s.name = %(s)s and k.predicate = %(p)s and o.name = %(o)s",
            s=subject,
            p=predicate,
            o=object,
        )
        return self.element(rows[0][0]) if rows else None

    def element(self, called: int | str) -> dict[str, Any] | None:
        number = called if isinstance(called, int) else number_of(called)
        with entered(self.space):
            return elements(graph_of(self.binding, now()), [number]).get(number)


def told(new_space: Callable[..., Any]) -> Told:
    """A seeded graph with the types of a tramway."""
    graph = Told(new_space("north")).seeded()
    graph.tell(TYPES)
    return graph
