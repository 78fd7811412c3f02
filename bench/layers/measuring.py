"""The bench of the layers: each kind of work once, in scopes of its own beside the store of memories."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import django

from bench.layers import judging
from bench.layers.options import add_store_arguments, store_folder
from bench.layers.report import layers_table
from bench.limits import Verdict
from bench.service import running

if TYPE_CHECKING:
    from bench.layers.space import Store


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of this bench."""
    add_store_arguments(parser)
    parser.add_argument("--lines", type=int, default=20_000, help="lines taken in and distilled (20,000)")
    parser.add_argument("--large", type=int, default=30_000, help="fragments of the one large scope (30,000)")
    parser.add_argument("--rounds", type=int, default=300, help="how often memories are reinforced (300)")


def measured(options: Namespace, say: Callable[[str], object]) -> dict[str, Any]:
    """Load what is missing, do each kind of work, and return what was measured as JSON values."""
    with running(store_folder(options)) as service:
        django.setup()
        from bench.layers.space import opened  # they import models, which only now can be
        from bench.layers.sweeping import sweep

        with opened(service, options.fragments, say) as (store, loading):
            sweep(store)
            try:
                found = {"fragments": store.fragments, "loading": loading, **worked(store, options, say)}
            finally:
                say("sweeping up")
                sweep(store)
    say(layers_table(found))
    return found


def worked(store: "Store", options: Namespace, say: Callable[[str], object]) -> dict[str, Any]:
    """What each kind of work came to."""
    from bench.layers.distillation import distilled_alone, distilled_in
    from bench.layers.large import merged, moved
    from bench.layers.lines import ingested, ingested_over_rest
    from bench.layers.space import seated
    from bench.layers.strength import decayed, reinforced
    from bench.layers.transcripts import imported

    say("decay pass")
    found: dict[str, Any] = {"decay": decayed(store)}
    say("reinforcement")
    found["reinforcement"] = reinforced(store, options.rounds)
    one = seated(store.space)
    say(f"ingest of {options.lines:,} lines, function and REST")
    found["ingest"] = {
        "function": ingested(one, options.lines).document(),
        "REST": ingested_over_rest(store.rest, seated(store.space), options.lines).document(),
    }
    say("distillation")
    rate, outcome = distilled_in(one.scope)
    found["distillation"] = rate.document() | {"outcome": outcome}
    found["long session"] = distilled_alone(seated(store.space), options.lines // 2)
    say("transcripts")
    found["transcripts"] = {
        name: rate.document() for name, rate in imported(seated(store.space), options.lines // 2).items()
    }
    if options.large:
        large = seated(store.space)
        found["near index"] = merged(large, options.large, say).document()
        say("re-embedding")
        found["re-embedding"] = moved(large).document()
    return found


def verdicts(found: dict[str, Any]) -> list[Verdict]:
    """What was measured against its limits."""
    return [
        *(
            judging.at_least(f"ingest, {where}", rate["a_second"], judging.LEAST_INGESTED, "lines/s")
            for where, rate in found["ingest"].items()
        ),
        judging.at_least(
            "extractive distillation", found["distillation"]["a_second"], judging.LEAST_DISTILLED, "lines/s"
        ),
        judging.at_most("decay pass", found["decay"]["seconds"], judging.MOST_DECAY_SECONDS, "s"),
        judging.at_most(
            f"worker, a session of {found['long session']['count']:,} lines",
            found["long session"]["peak_mb"],
            judging.MOST_WORKER_MB,
            "MB",
        ),
    ]
