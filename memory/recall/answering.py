"""One answer for one request: the scopes it is bound to, PHI that is released, reinforcement, and what was withheld."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from common.times import format_instant, now
from memory.facts.views import FactView
from memory.layers.models import RecallUse
from memory.layers.reinforcing import recall_fragments
from memory.layers.settings import layer_settings
from memory.recall.gathering import sources_of
from memory.recall.items import Item, items_of
from memory.recall.missing import explain_missing
from memory.recall.phi import phi_matches, withheld_counts
from memory.recall.recalling import Asked, Recalled, recall
from memory.recall.rules.injection import reads_like_an_instruction
from spaces.access import Binding
from spaces.databases.transactions import usage_transaction


@dataclass(frozen=True)
class Request:
    """What a caller asks of recall; see `memory.recall.api.RecallInput` for each field."""

    query: str
    limit: int = 10
    reinforce: bool = False
    explain: bool = False
    missing: Sequence[int] = ()
    plain: bool = False
    as_of: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True)
class Answer:
    """Items in order. `withheld` counts by class what the gate keeps back, None for whoever may not know."""

    at: datetime
    items: Sequence[Item]
    missing: Sequence[Mapping[str, Any]]
    withheld: Mapping[str, int] | None


def answer(binding: Binding, asked: Request) -> Answer:
    """Recall in the bound scopes. Fails as a whole or answers as a whole; nothing falls back to anything.

    A seat's recall of its own scope strengthens the fragments it returns; an answer about the past never does. Raises
    EmbedderUnavailable.
    """
    at = now()
    question = Asked(asked.query, at, asked.as_of, asked.before, asked.plain)
    recalled = recall(binding.scope_ids, question)
    found = items_of(recalled, asked.limit, explain=asked.explain)
    items = _with_phi(binding, question, recalled, found, asked)[: asked.limit]
    missing = explain_missing(binding, question, recalled, asked.missing, asked.limit) if asked.missing else []
    if asked.as_of is None:
        _note_use(binding, items, at, reinforce=asked.reinforce)
    withheld = withheld_counts(binding) if binding.sees_redactions else None
    return Answer(at, items, missing, withheld)


def _note_use(binding: Binding, items: Sequence[Item], at: datetime, *, reinforce: bool) -> None:
    """What a seat was shown, so that it is known when it comes back in a conversation; and made stronger if asked."""
    if not binding.caller.is_seat:
        return
    actor, base = str(binding.caller.actor), layer_settings().fragment_tau
    with usage_transaction():
        for scope in binding.scopes:
            nodes = [item.node for item in items if item.node is not None and item.scope == scope.pk]
            purpose = binding.purpose or ""
            RecallUse.objects.create(scope=scope.pk, actor=actor, at=at, purpose=purpose, nodes=nodes)
            # What a seat reads beside its own memory it does not strengthen: it may not write there.
            if reinforce and nodes and scope.pk == binding.caller.scope_id:
                recall_fragments(scope.pk, nodes, at, base_tau=base, actor=actor)


def _with_phi(
    binding: Binding, question: Asked, recalled: Recalled, found: Sequence[Item], asked: Request
) -> list[Item]:
    """PHI that is released stands by the share of the question's words it holds, beside the best of the rest."""
    hits = phi_matches(binding, question, recalled.query.terms, asked.limit)
    if not hits:
        return list(found)
    best = max((item.score for item in found), default=1.0)
    sources = sources_of([node for node, *_ in hits])
    released = [
        replace(
            _of_phi(node, scope, view, strength, explain=asked.explain),
            score=best * share,
            sources=sources.get(node, []),
        )
        for node, scope, view, share, strength in hits
    ]
    return sorted([*found, *released], key=lambda item: -item.score)


def _of_phi(node: int, scope: int, view: FactView, strength: float, *, explain: bool) -> Item:
    text = view.record.statement
    because = {"phi": "Released for the stated purpose; it stands by the share of the question's words it holds."}
    return Item(
        node=node,
        scope=scope,
        layer=1,
        type="Fragment",
        title="",
        text=text,
        score=0.0,
        sources=[],
        facts=[view.record.id],
        said_at=format_instant(view.record.valid_from),
        speaker="",
        strength=strength,
        instruction=reads_like_an_instruction(text),
        explanation=because if explain else None,
    )
