"""The decay pass over every memory of the Space, and reinforcement of a few."""

import random
from datetime import timedelta
from typing import Any

from audit.recording import SYSTEM
from bench.layers.space import Store
from bench.layers.timing import timed_rate
from bench.timing import spread, timed
from common.times import now
from memory.layers.decay import counts_at, decay_due
from memory.layers.models import DecayPass, LayerSettings, NodeStrength
from memory.layers.reinforcing import recall_fragments
from spaces.databases.transactions import memory_transaction, usage_transaction

_RECALLED = 10


class _LeftAsItWas(Exception):
    """What was measured is not kept."""


def decayed(store: Store) -> dict[str, Any]:
    """A whole pass on the day after the last memory was formed, in a transaction that is rolled back at its end."""
    formed = NodeStrength.objects.filter(layer=1).order_by("-scored_at").values_list("scored_at", flat=True)
    at = (formed.first() or now()) + timedelta(days=1)
    clock = timed_rate(0)
    found: dict[str, Any] = {}
    try:
        with memory_transaction() as act:
            defaults = LayerSettings()
            LayerSettings.objects.update(
                fragment_threshold=defaults.fragment_threshold, event_threshold=defaults.event_threshold
            )
            DecayPass.objects.all().delete()
            decay_due(store.space, at - timedelta(days=1))
            clock.count = sum(count.live for count in counts_at(at).values())
            done = clock.run(lambda: decay_due(store.space, at))
            if done is None or done.state != DecayPass.State.DONE:
                raise RuntimeError(f"the pass was not done: {done}")
            act.record(SYSTEM, "bench.decay")
            found = {"archived": sum(done.archived.values())}
            raise _LeftAsItWas
    except _LeftAsItWas:
        return found | clock.rate().document()


def reinforced(store: Store, rounds: int) -> dict[str, Any]:
    """Ten fragments of one scope recalled, so many times over scopes at random: milliseconds each."""
    chance = random.Random(rounds)
    ids: dict[int, list[int]] = {}
    times = []
    for _ in range(rounds):
        scope = chance.choice(store.scopes).scope
        if scope not in ids:
            ids[scope] = list(NodeStrength.objects.filter(scope=scope, layer=1).values_list("pk", flat=True))
        times.append(timed(lambda scope=scope: _recalled(scope, chance.sample(ids[scope], _RECALLED))))  # type: ignore[misc]
    return vars(spread(times))


def _recalled(scope: int, nodes: list[int]) -> None:
    with usage_transaction():
        recall_fragments(scope, nodes, now(), base_tau=14.0, actor="system:bench")
