"""What is measured of a large graph, and its limits (`specs/kip.md`, section 11: two cores)."""

import random
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import django

from bench.limits import Verdict
from bench.service import SPACE, running
from bench.timing import load, spread, timed

CONCEPTS, LINKS = 100_000, 300_000
# Milliseconds at the 95th percentile, with the audit row and the log of each command.
MOST_MS = {
    "FIND, two patterns and a filter": 20.0,
    "three hops from one node": 30.0,
    "SEARCH": 30.0,
    "UPSERT of 10 blocks": 40.0,
    "parse of 1 kB": 2.0,
}


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of this bench."""
    parser.add_argument("--concepts", type=int, default=CONCEPTS, help="how many the graph holds (100,000)")
    parser.add_argument("--links", type=int, default=LINKS, help="how many the graph holds (300,000)")
    parser.add_argument("--data-dir", type=Path, help="keep the graph there, and go on from what it holds already")
    parser.add_argument("--rounds", type=int, default=200, help="how often each thing is done (200)")


def measured(options: Namespace, say: Callable[[str], object]) -> dict[str, Any]:
    """Fill, ask, and return what was measured as JSON values. Raises RuntimeError when an answer is a refusal."""
    with ExitStack() as stack:
        data_dir = options.data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="kndl-bench-")))
        data_dir.mkdir(parents=True, exist_ok=True)
        service = stack.enter_context(running(data_dir))
        django.setup()
        from bench.kip import filling  # it imports models, which only now can be
        from kndl_site.embedded import superuser_connection
        from seats.authentication import caller_of_token
        from seats.models import SeatToken
        from seats.tokens import hash_of
        from spaces.access import bind, find_space
        from spaces.databases.entering import entered

        seat = SeatToken.objects.select_related("seat").get(secret_hash=hash_of(service.token))
        caller = caller_of_token(seat)
        space = find_space(caller, SPACE)
        here = stack.enter_context(entered(space))
        bare = stack.enter_context(superuser_connection(data_dir, here.alias))
        binding = bind(caller, space, [], writing=True)
        say(f"loading {options.concepts:,} concepts and {options.links:,} links")
        filling.filled(binding, bare, options.concepts, options.links)
        times = _times(binding, bare, options, filling.words(), say)
        return {"concepts": options.concepts, "links": options.links, "times": times}


def verdicts(found: dict[str, Any]) -> list[Verdict]:
    """What was measured against its limits."""
    times = found["times"]
    return [
        Verdict(f"{name}, p95", times[name]["p95"], limit, "ms", times[name]["p95"] <= limit)
        for name, limit in MOST_MS.items()
    ]


def _times(
    binding: Any, bare: Any, options: Namespace, words: list[str], say: Callable[[str], object]
) -> dict[str, Any]:
    from memory.kip.language.parsing import parse
    from memory.kip.wire import execute

    dice = random.Random(3)

    def thing() -> str:
        return f"name {dice.randrange(options.concepts // 2) * 2 + 1}"

    def run(command: str, **parameters: str) -> None:
        status, answer = execute(binding, {"command": command, "parameters": parameters}, read_only=False)
        if status != 200:
            raise RuntimeError(str(answer))

    find = (
        'FIND(?a.name, ?b.name) WHERE { ?a {type: "Thing", name: :n} (?a, "has", ?b) FILTER(?b.attributes.rank < 500) }'
    )
    text = "UPSERT {" + "".join(_block(place, "a b c d") for place in range(10)) + "}"
    acts: dict[str, Callable[[], object]] = {
        "FIND, two patterns and a filter": lambda: run(find, n=thing()),
        "rival of it": lambda: bare.execute(_RIVAL, {"n": thing(), "s": binding.one.pk}).fetchall(),
        "FIND by an attribute": lambda: run(
            'FIND(?a.name, ?b.name) WHERE { ?a {type: "Thing"} (?a, "has", ?b)'
            f" FILTER(?a.attributes.rank == {dice.randrange(500) * 2 + 1}) }}"
        ),
        "three hops from one node": lambda: run('FIND(?b.name) WHERE { ({name: :n}, "has"{1,3}, ?b) }', n=thing()),
        "SEARCH": lambda: run("SEARCH CONCEPT :t", t=f"{dice.choice(words)} {dice.choice(words)}"),
        "UPSERT of 10 blocks": lambda: run(
            "UPSERT {" + "".join(_block(dice.randrange(10**9), thing()) for _ in range(10)) + "}"
        ),
        "parse of 1 kB": lambda: parse(text[: _kilobyte(text)] + "}", {}),
    }
    found = {}
    for name, act in acts.items():
        say(name)
        act()
        found[name] = vars(spread([timed(act) for _ in range(options.rounds)])) | {"load": load()}
    return found


def _block(number: int, other: str) -> str:
    return (
        f'\n  CONCEPT ?c{number} {{ {{type: "Thing", name: "new {number}"}} SET ATTRIBUTES {{ rank: {number % 1000} }}'
        f' SET PROPOSITIONS {{ ("has", {{type: "Thing", name: "{other}"}}) }} }}'
    )


def _kilobyte(text: str) -> int:
    """Where the last whole block within the first kilobyte ends."""
    return text.rindex("\n", 0, 1_024)


_RIVAL = (
    "select a.name, b.name from node a join link l on l.subject = a.id and l.predicate = 'has' join node b"
    " on b.id = l.object where a.scope = %(s)s and a.type = 'Thing' and a.name = %(n)s"
    " and (b.attributes -> 'rank')::int < 500"
)
