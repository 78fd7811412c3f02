"""One answer for one request: the scopes it is bound to, PHI that is released, reinforcement, and what was withheld."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from common.times import now
from memory.layers.elements import run_sql
from memory.layers.models import LayerSettings
from memory.layers.reinforcing import recall_fragments
from memory.recall.items import Item, items_of
from memory.recall.missing import explain_missing
from memory.recall.phi import among, phi_places, withheld_counts
from memory.recall.recalling import Asked, recall
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
    explained = asked.explain or bool(asked.missing)
    question = Asked(asked.query, at, asked.as_of, asked.before, asked.plain, explained)
    recalled = recall(binding.scope_ids, question)
    order = among(recalled.order, phi_places(binding, question, recalled.query.terms))
    items = items_of(binding, recalled, order[: asked.limit], explain=asked.explain)
    missing = explain_missing(binding, question, recalled, order, asked.missing, asked.limit)
    if binding.caller.is_seat:
        _note_use(binding, items, at, reinforce=asked.reinforce and asked.as_of is None)
    withheld = withheld_counts(binding) if binding.sees_redactions else None
    return Answer(at, items, missing, withheld)


def _note_use(binding: Binding, items: Sequence[Item], at: datetime, *, reinforce: bool) -> None:
    """What a seat was shown, so that it is known when it comes back in a conversation; and made stronger if asked.

    What a seat reads beside its own memory it does not strengthen: it may not write there.
    """
    actor, own = str(binding.caller.actor), binding.caller.scope_id or 0
    shown = {
        scope: [item.node for item in items if item.node is not None and item.scope == scope]
        for scope in binding.scope_ids
    }
    with usage_transaction():
        rows = run_sql(
            "insert into recall_use (scope, actor, at, purpose, nodes)"
            " select key::int, %(actor)s, %(at)s, %(purpose)s, value from jsonb_each(%(shown)s::jsonb)"
            " returning (select fragment_tau from layer_settings)",
            {"actor": actor, "at": at, "purpose": binding.purpose or "", "shown": json.dumps(shown)},
        )
        if reinforce and shown.get(own):
            recall_fragments(own, shown[own], at, base_tau=rows[0][0] or LayerSettings().fragment_tau, actor=actor)
