"""A neighbourhood made ready for a page: what stands in each box of the picture and in each row of the table."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import Truncator

from common.templatetags.kndl_marks import LAYERS, in_zone
from memory.facts.rules.tree_drawing import cut
from memory.layers.pages.memory_addresses import session_address
from memory.layers.rules.graph_drawing import TEXT_WIDTH, GraphBox, GraphDrawing, Spot, Tie, graph_drawing
from memory.layers.showing_graph import Neighbourhood
from memory.layers.showing_words import kind_of, lines_words, title_of
from memory.layers.statements import Memory
from memory.sessions.models import Session

_WORDS = {"part_of": "part of"}
_MOST_SAID = 120


@dataclass(frozen=True)
class ShownBox:
    """A box and its row: `memory` or `session` is what it stands for, `linked` says by what it hangs here."""

    box: GraphBox
    layer: int
    url: str
    title: str
    whole: str
    note: str
    label: str
    hops: int
    linked: str
    more_linked: int
    is_centre: bool
    memory: Memory | None = None
    session: Session | None = None


@dataclass(frozen=True)
class ShownGraph:
    """The picture, and its boxes by layer for the table, concepts last."""

    drawing: GraphDrawing
    boxes: tuple[ShownBox, ...]
    groups: tuple[tuple[int, list[ShownBox]], ...]


def graph_of(found: Neighbourhood, zone: str, space: str, scope: str) -> ShownGraph:
    """Draw a neighbourhood; each box leads to the page of what it stands for."""
    memories = {str(memory.id): memory for memory in found.memories}
    ties = [Tie(str(link.start), str(link.end), _WORDS.get(link.predicate, link.predicate)) for link in found.links]
    ties += [Tie(f"session {source.session}", str(number), "rests on") for number, source in found.rests]
    spots = [Spot(key, memory.layer, found.hops.get(memory.id, 0)) for key, memory in memories.items()]
    near = {number: found.hops.get(number, 0) + 1 for number, _ in found.rests}
    reached: dict[str, int] = {}
    for number, source in found.rests:
        reached[source.session] = min(near[number], reached.get(source.session, near[number]))
    spots += [Spot(f"session {key}", 0, reached[key]) for key in found.sessions]
    drawing = graph_drawing(spots, ties, str(found.centre.id))
    hops = {spot.key: spot.hops for spot in spots}
    linked = _linked(found, ties, memories)
    names = _Names(space, scope, ZoneInfo(zone))
    sessions = {f"session {key}": session for key, session in found.sessions.items()}
    boxes = tuple(
        _box(box, memories.get(box.key), sessions.get(box.key), hops, linked, names, found) for box in drawing.boxes
    )
    by_layer: dict[int, list[ShownBox]] = defaultdict(list)
    for shown in sorted(boxes, key=lambda shown: (shown.hops, shown.box.y)):
        by_layer[shown.layer].append(shown)
    centre_first = [found.centre.layer, *(layer for layer in (1, 2, 3, 0) if layer != found.centre.layer)]
    return ShownGraph(drawing, boxes, tuple((layer, by_layer[layer]) for layer in centre_first if by_layer[layer]))


@dataclass(frozen=True)
class _Names:
    space: str
    scope: str
    zone: ZoneInfo

    def memory(self, number: int) -> str:
        return f"{reverse('one_memory_page', args=[self.space, number])}?{urlencode({'scope': self.scope})}"

    def day(self, at: datetime) -> str:
        local = in_zone(at, self.zone)
        return f"{local.day} {local:%b} {local.year}"


def _box(
    box: GraphBox,
    memory: Memory | None,
    session: Session | None,
    hops: dict[str, int],
    linked: dict[str, list[str]],
    names: _Names,
    found: Neighbourhood,
) -> ShownBox:
    if memory is not None:
        layer, title, note = memory.layer, title_of(memory), _note(memory, names)
        url = names.memory(memory.id)
    else:
        assert session is not None  # a box is one or the other
        layer, title = 0, session.title or session.client_id
        note = f"{names.day(session.started_at)}, {session.line_count:,} lines"
        url = session_address(names.space, names.scope, str(session.pk))
    said = linked[box.key]
    is_centre = memory is not None and memory.id == found.centre.id
    hangs_by = "the centre" if is_centre else said[0] if said else ""
    parts = [Truncator(title).chars(_MOST_SAID), f"L{layer} {LAYERS[layer]}", note, hangs_by]
    return ShownBox(
        box=box,
        layer=layer,
        url=url,
        title=cut(title, TEXT_WIDTH),
        whole=title,
        note=note,
        label=", ".join(part for part in parts if part),
        hops=hops[box.key],
        linked=said[0] if said else "",
        more_linked=max(len(said) - 1, 0),
        is_centre=is_centre,
        memory=memory,
        session=session,
    )


def _note(memory: Memory, names: _Names) -> str:
    """The small words under the title: kind, day, strength."""
    strength = "" if memory.layer == 3 else f"{memory.effective:.2f}"
    day = names.day(memory.said_at or memory.formed_at) if memory.layer == 2 else ""
    pinned = "pinned" if memory.strength.pinned else ""
    return ", ".join(part for part in (kind_of(memory), day, strength, pinned) if part)


def _linked(found: Neighbourhood, ties: list[Tie], memories: dict[str, Memory]) -> dict[str, list[str]]:
    """For each box what it is linked by, in words, the links of the centre first."""
    titles = {key: title_of(memory) for key, memory in memories.items()}
    titles |= {f"session {key}": session.title or session.client_id for key, session in found.sessions.items()}
    ranges = {(number, source.session): lines_words(source.first, source.last) for number, source in found.rests}
    said: dict[str, list[str]] = defaultdict(list)
    centre = str(found.centre.id)
    for tie in sorted(ties, key=lambda tie: centre not in (tie.start, tie.end)):
        word = tie.word
        if tie.start.startswith("session "):
            word = ranges[int(tie.end), tie.start.removeprefix("session ")]
        for one, other in ((tie.start, tie.end), (tie.end, tie.start)):
            said[one].append(f"{word}: {Truncator(titles[other]).chars(60)}")
    return said
