"""Correcting a memory: a new one takes its place. And moving a concept to another type."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from audit.recording import Act
from common.errors import Conflict, Invalid, Unprocessable
from common.strict import StrictModel, VisibleText
from memory.layers.governing.holding import locked
from memory.layers.governing.standing import archive_nodes, refuse_replaced
from memory.layers.governing.taking_over import take_over
from memory.layers.indexing import index_nodes
from memory.layers.models import Node
from memory.layers.new_nodes import NewNode, add_nodes
from memory.layers.rules.strength import CONCEPT, EVENT, FRAGMENT
from memory.layers.settings import base_tau, layer_settings
from memory.layers.statements import Memory
from memory.layers.tombstones import Buried, bury
from spaces.access import Binding

ConceptType = Literal["Person", "Topic", "Preference", "Insight", "Commitment"]


class CorrectionInput(StrictModel):
    """What a memory should say. `name` is that of a concept or the title of an event; fragments have none."""

    text: Annotated[str, VisibleText(1, 4_000)] | None = None
    name: Annotated[str, VisibleText(1, 500)] | None = None
    reason: Annotated[str, VisibleText(1, 2_000)] | None = None


class TypeInput(StrictModel):
    """The type that a concept should have."""

    type: ConceptType


@dataclass(frozen=True)
class _Words:
    name: str
    text: str
    attributes: dict[str, Any]


def correct(act: Act, binding: Binding, number: int, given: CorrectionInput, at: datetime) -> int:
    """Put a memory with other words in the place of one; returns its id.

    It takes over the links, the lines and the facts of the old one and starts at full strength. The old one is
    archived, names its successor, and is not made again from its lines. Raises NotFound, Invalid when nothing would
    change or a fragment is given a name, Unprocessable for one that stands for a PHI fact, and Conflict for one that
    was replaced already, or a name that is taken.
    """
    old = locked(binding, [number], at)[number]
    _refuse(old)
    words = _corrected(old, given)
    scope, actor = binding.one.pk, str(binding.caller.actor)
    if old.layer == CONCEPT:
        _free_name(old, words.name)
    tau = base_tau(layer_settings(), old.layer)
    node = NewNode(
        old.layer, old.type, words.name, words.text, words.attributes, old.classification, old.said_at, 1.0, tau
    )
    new = add_nodes(scope, [node], at, run=None, actor=actor)[0]
    take_over(scope, new, [old.id])
    Node.objects.filter(pk=old.id).update(superseded_by=new, version=old.version + 1)
    if old.archived_at is None:
        archive_nodes(scope, [old.id], at, actor)
    bury(scope, [_buried(old, words)], at=at, by=actor, reason="corrected")
    index_nodes(scope, [new])
    act.record(
        binding.caller.actor, "memory.correct", f"memory:{old.id}", scope=scope, by=new, reason=given.reason or ""
    )
    return new


def retype(act: Act, binding: Binding, number: int, type: str, at: datetime) -> None:
    """Give a concept another type. Raises NotFound, Unprocessable for what is no concept, Conflict for a taken name."""
    memory = locked(binding, [number], at)[number]
    _refuse(memory)
    if memory.layer != CONCEPT:
        raise Unprocessable("can be changed of a concept alone", field="type")
    if type != memory.type:
        _refuse_taken(memory.scope, type, memory.name)
        Node.objects.filter(pk=memory.id).update(type=type, version=memory.version + 1)
    act.record(
        binding.caller.actor,
        "memory.retype",
        f"memory:{memory.id}",
        scope=memory.scope,
        before=memory.type,
        after=type,
    )


def _refuse(memory: Memory) -> None:
    refuse_replaced(memory)
    if memory.phi_ref is not None:
        raise Unprocessable("This memory stands for a PHI fact: supersede the fact instead.", type="stands_for_fact")


def _corrected(old: Memory, given: CorrectionInput) -> _Words:
    text = old.text if given.text is None else given.text
    attributes = {name: value for name, value in old.attributes.items() if name != "part"} | {"corrects": old.id}
    title = str(old.attributes.get("title", old.name))
    if old.layer == FRAGMENT:
        if given.name is not None:
            raise Invalid("is not something a fragment has", field="name")
        name, said = f"correction of {old.id}", (old.text,) == (text,)
    elif old.layer == EVENT:
        name = title if given.name is None else given.name
        said = (title, old.text) == (name, text)
        attributes |= {"title": name, "content_summary": text}
    else:
        name = old.name if given.name is None else given.name
        said = (old.name, old.text) == (name, text)
    if said:
        raise Invalid("must differ from what the memory says already", field="name" if given.name else "text")
    return _Words(name, text, attributes)


def _free_name(old: Memory, name: str) -> None:
    """Concepts are told apart by name: the old one gives its own up to a new one of the same."""
    if name == old.name:
        Node.objects.filter(pk=old.id).update(name=f"{old.name} ~{old.id}")
    else:
        _refuse_taken(old.scope, old.type, name)


def _refuse_taken(scope: int, type: str, name: str) -> None:
    taken = Node.objects.filter(scope=scope, type=type, name=name).values_list("pk", flat=True).first()
    if taken is not None:
        raise Conflict(f"There is a {type} of this name already: merge the two.", type="name_taken", memory=taken)


def _buried(old: Memory, words: _Words) -> Buried:
    """What must not be made again: the old words, and for a fragment anything else from its lines."""
    if old.layer == CONCEPT:
        return Buried(old.id, old.layer, old.type, names=(old.name,) if words.name != old.name else ())
    texts = [old.text, *([str(old.attributes.get("title", ""))] if old.layer == EVENT else [])]
    lines = (
        [(UUID(source.session), source.first, source.last) for source in old.sources] if old.layer == FRAGMENT else []
    )
    return Buried(
        old.id,
        old.layer,
        old.type,
        texts=tuple(text for text in texts if text not in (words.text, words.name)),
        lines=tuple(lines),
    )
