"""The bench of recall: questions of three kinds to a store of memories, each asked in every way."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import django

from bench.layers import judging
from bench.layers.options import add_store_arguments, store_folder
from bench.limits import Verdict
from bench.recall.kinds import BARE, RANDOM_SCOPES, REST, ROWS, SPREADING, WORD_SEARCH
from bench.recall.report import recall_table
from bench.service import running
from bench.timing import load, spread

if TYPE_CHECKING:
    from bench.layers.space import Store
    from bench.recall.questions import Question

# Below this share of questions that find the line they are about, something else than recall is being measured.
LEAST_FOUND = 0.5


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of this bench."""
    add_store_arguments(parser)
    parser.add_argument("--rounds", type=int, default=300, help="questions of each kind (300)")


def measured(options: Namespace, say: Callable[[str], object]) -> dict[str, Any]:
    """Load what is missing, ask, and return what was measured as JSON values. Raises RuntimeError for wrong answers."""
    with running(store_folder(options)) as service:
        django.setup()
        from bench.layers.space import opened  # it imports models, which only now can be

        with opened(service, options.fragments, say) as (store, loading):
            found = {"fragments": store.fragments, "scopes": len(store.scopes), "loading": loading}
            found["questions"] = answered(store, options.rounds, say)
    say(recall_table(found))
    return found


def answered(store: "Store", rounds: int, say: Callable[[str], object]) -> dict[str, Any]:
    """The times of all questions by their kind. Every scope is asked once beforehand, and that is not counted."""
    from bench.recall.questions import questions
    from bench.recall.recent import said_recently

    said_recently(store)
    kinds = questions(store, rounds)
    say(f"warming up {len(store.scopes)} scopes")
    first = {question.asked_of.scope: question for question in kinds[RANDOM_SCOPES]}
    _asked(store, list(first.values()))
    found = {}
    for kind, asked in kinds.items():
        say(f"{len(asked)} questions {kind}")
        found[kind] = _asked(store, asked)
    _require_sense(found[RANDOM_SCOPES])
    return found


def _require_sense(answers: dict[str, Any]) -> None:
    """Raise RuntimeError where something else than recall was measured."""
    if answers["found"] < LEAST_FOUND:
        found = f"only {answers['found']:.0%} of the questions found the line they are about"
        raise RuntimeError(f"{found}: was the store filled with other conversations? Remove its folder then")
    for part in (SPREADING, WORD_SEARCH):
        if not answers["times"][part]["least"]:
            raise RuntimeError(f"no statement was taken for that of {part}")


def _asked(store: "Store", questions: Sequence["Question"]) -> dict[str, Any]:
    from bench.recall.asking import asked

    each = [asked(store, question, turn) for turn, question in enumerate(questions)]
    order = sorted(each[0][0], key=ROWS.index)
    times = {name: vars(spread([spent[name] for spent, _ in each])) for name in order} if len(each) > 1 else {}
    return {"times": times, "found": sum(found for _, found in each) / len(each), "load": load()}


def verdicts(found: dict[str, Any]) -> list[Verdict]:
    """What was measured against its limits."""
    times = found["questions"][RANDOM_SCOPES]["times"]
    bare, statement = times[BARE], times[SPREADING]
    judged = [judging.at_most("recall, REST, p95", times[REST]["p95"], judging.MOST_RECALL_MS, "ms")]
    for which in ("p50", "p95"):
        ratio = statement[which] / bare[which]
        judged.append(judging.at_most(f"vectors and graph, {which}", ratio, judging.MOST_TIMES_BARE, "× bare"))
    judged.append(judging.at_most("word search, p95", times[WORD_SEARCH]["p95"], judging.MOST_WORD_SEARCH_MS, "ms"))
    return judged
