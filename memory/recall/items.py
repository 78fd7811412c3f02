"""From places in an order to what a reader is shown: text, the lines it rests on, and every term of its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from common.times import format_instant
from memory.facts.views import FactView
from memory.recall.gathering import Found, facts_of, sources_of
from memory.recall.phi import PhiPlace, Place, phi_views
from memory.recall.recalling import Recalled
from memory.recall.rules.candidates import Ranked
from memory.recall.rules.injection import reads_like_an_instruction
from memory.recall.rules.plain import PlainRow
from spaces.access import Binding

MOST_SOURCES = 5
_OF_HIGHER = 2

Source = tuple[UUID, str, int, int]
_PHI = "Released for the stated purpose; it stands by the share of the question's words it holds."


@dataclass(frozen=True)
class Item:
    """One place of an answer. `node` is None for a line that is not distilled yet."""

    node: int | None
    scope: int
    layer: int
    type: str
    title: str
    text: str
    score: float
    sources: Sequence[Source]
    facts: Sequence[str]
    said_at: str | None
    speaker: str
    strength: float
    instruction: bool
    explanation: Mapping[str, Any] | None = None

    @property
    def id(self) -> str:
        """The memory's id; of a line, where it stands."""
        if self.node is not None:
            return str(self.node)
        session, _, first, _ = self.sources[0]
        return f"session://{session}#L{first}-L{first}"


def items_of(binding: Binding, recalled: Recalled, places: Sequence[Place], *, explain: bool) -> list[Item]:
    """The first places of an answer as items. That PHI was read is put on record; what was erased is left out."""
    nodes = [place.id for place in places if place.id > 0]
    best = {node for place in places for node in _best(place)}
    sources = sources_of(sorted({*nodes, *best}), each=MOST_SOURCES, before=recalled.asked.before)
    facts = facts_of(nodes)
    views = phi_views(binding, [place for place in places if isinstance(place, PhiPlace)])
    found = []
    for rank, place in enumerate(places, start=1):
        because = explanation(recalled, place, rank) if explain else None
        if isinstance(place, PhiPlace):
            if place.id in views:
                found.append(_of_phi(place, views[place.id], sources.get(place.id, []), because))
        elif place.id < 0:
            found.append(_of_line(recalled, place, because))
        else:
            found.append(_of_memory(recalled, place, sources, facts.get(place.id, []), because))
    return found


def explanation(recalled: Recalled, place: Place, rank: int) -> dict[str, Any]:
    """Why a place stands where it stands: what each arm said of it, and every term of its score."""
    if isinstance(place, PhiPlace):
        return {"rank": rank, "score": place.score, "phi": _PHI, "share": place.share}
    arms = recalled.arms_of(place.id)
    match, reached = arms.matches.get(place.id), arms.activated.get(place.id)
    found: dict[str, Any] = {"rank": rank, "score": place.score}
    if match is not None:
        order = list(arms.matches)
        found["keywords"] = {
            "rank": order.index(place.id) + 1,
            "bm25": match.bm,
            "terms": [
                {"term": term, "adds": adds, **({"because_of": "widening"} if term in arms.widening else {})}
                for term, adds in sorted(match.terms.items(), key=lambda pair: -pair[1])
            ],
        }
    if reached is not None:
        found["spreading"] = {
            "cosine": reached.cosine,
            "one_hop": reached.one_hop,
            "two_hops": reached.two_hops,
            "hops": reached.hops,
            "activation": reached.activation,
            "strength": reached.strength,
            "score": reached.score,
            "rank": list(arms.activated).index(place.id) + 1,
        }
    if place.id > 0:
        found["cosine"] = arms.found[place.id].cosine
    return found | (_account(place) if isinstance(place, Ranked) else {"step": place.step})


def _account(place: Ranked) -> dict[str, Any]:
    account = place.account
    return {
        "terms": {
            "words": account.words,
            "cosine": account.cosine,
            "activation": account.activation,
            "factors": account.factors,
            "spread": account.spread,
            "strength": account.strength,
            "limit": account.limit,
        },
        "formula": "score = ((words + cosine + activation) × factors + spread) × strength, at most limit",
    }


def _best(place: Place) -> tuple[int, ...]:
    return place.best_fragments if isinstance(place, Ranked) else ()


def _lines(memory: Found, best: Sequence[int], sources: Mapping[int, list[Source]]) -> list[Source]:
    """A fragment's own lines; of an event or a concept those of its best fragments in the answer, else its first."""
    if memory.layer == 1:
        return sources.get(memory.id, [])
    chosen = [line for node in best[:_OF_HIGHER] for line in sources.get(node, [])[:1]]
    return list(dict.fromkeys(chosen)) or sources.get(memory.id, [])[:_OF_HIGHER]


def _of_memory(
    recalled: Recalled,
    place: Ranked | PlainRow,
    sources: Mapping[int, list[Source]],
    facts: Sequence[str],
    because: Mapping[str, Any] | None,
) -> Item:
    memory = recalled.arms_of(place.id).found[place.id]
    title = memory.title if memory.layer != 1 else ""
    text = memory.text or title
    return Item(
        node=memory.id,
        scope=recalled.arms_of(place.id).scope,
        layer=memory.layer,
        type=memory.type,
        title=title,
        text=text,
        score=place.score,
        sources=_lines(memory, _best(place), sources),
        facts=facts,
        said_at=format_instant(memory.said_at) if memory.said_at else None,
        speaker=memory.speaker,
        strength=memory.strength,
        instruction=reads_like_an_instruction(text),
        explanation=because,
    )


def _of_line(recalled: Recalled, place: Ranked | PlainRow, because: Mapping[str, Any] | None) -> Item:
    arms = recalled.arms_of(place.id)
    line = arms.recent[place.id]
    return Item(
        node=None,
        scope=arms.scope,
        layer=0,
        type="Line",
        title="",
        text=line.text,
        score=place.score,
        sources=[(line.session, line.client_id, line.index, line.index)],
        facts=[],
        said_at=format_instant(line.at),
        speaker=line.speaker,
        strength=1.0,
        instruction=reads_like_an_instruction(line.text),
        explanation=because,
    )


def _of_phi(place: PhiPlace, view: FactView, sources: Sequence[Source], because: Mapping[str, Any] | None) -> Item:
    text = view.record.statement
    return Item(
        node=place.id,
        scope=place.scope,
        layer=1,
        type="Fragment",
        title="",
        text=text,
        score=place.score,
        sources=sources,
        facts=[view.record.id],
        said_at=format_instant(view.record.valid_from),
        speaker="",
        strength=place.strength,
        instruction=reads_like_an_instruction(text),
        explanation=because,
    )
