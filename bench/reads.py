"""What is asked of a Space full of facts: of the product, of REST, and in bare SQL that gets the same rows."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bench.sample import A_SUBJECT, BLOCK, PAST, RARE_PREDICATE, contradicting, root_of, subject_of
from common.text import lexemes
from common.times import parse_instant
from memory.facts.contradictions import ContradictionQuery, find_contradictions
from memory.facts.provenance import DEEPEST, provenance
from memory.facts.reading import FactQuery, query_facts
from spaces.access import Binding

Target = str


@dataclass(frozen=True)
class Read:
    """A question, and the targets that it is asked of one after the other.

    `ask` and `bare` take a target; `route` gives its address and query string. `bare` is the rival: the rows and
    nothing of what the product judges of them.
    """

    name: str
    targets: Sequence[Target]
    ask: Callable[[Binding, Target], Any]
    route: Callable[[Target], tuple[str, dict[str, str | int]]]
    bare: str
    values: Callable[[Target], dict[str, Any]] = field(default=lambda target: {"target": target})


def reads(count: int, rounds: int) -> list[Read]:
    """All questions to a store of `count` facts, each asked about `rounds` times, of targets chosen at random."""
    chance = random.Random(count)
    past = parse_instant(PAST)
    subjects = [subject_of(chance.randrange(count // A_SUBJECT) * A_SUBJECT) for _ in range(rounds)]
    disputed = chance.choices(list(contradicting(count)), k=rounds)
    roots = [root_of(chance.randrange(count // BLOCK)) for _ in range(rounds)]
    numbers = [subject.partition(":")[2] for subject in subjects]
    again = [""] * min(rounds, 100)
    return [
        Read(
            "query a subject",
            subjects,
            lambda binding, subject: query_facts(binding, FactQuery(subject=subject)),
            lambda subject: ("facts", {"subject": subject}),
            "select * from fact where scope = %(scope)s and subject = %(target)s",
        ),
        Read(
            "query a subject as of the past",
            subjects,
            lambda binding, subject: query_facts(binding, FactQuery(subject=subject, as_of=past)),
            lambda subject: ("facts", {"subject": subject, "as_of": PAST}),
            "select * from fact where scope = %(scope)s and subject = %(target)s and recorded_at <= %(past)s",
            _and_past(past),
        ),
        Read(
            "contradictions of a subject",
            disputed,
            lambda binding, subject: _some(find_contradictions(binding, ContradictionQuery(subject=subject))),
            lambda subject: ("contradictions", {"subject": subject}),
            "select f.* from fact_group g join fact f using (scope, claim)"
            " where g.scope = %(scope)s and g.subject = %(target)s and g.open",
        ),
        Read(
            "page of 50 contradictions",
            again,
            lambda binding, _: _some(find_contradictions(binding, ContradictionQuery())),
            lambda _: ("contradictions", {"limit": 50}),
            "select f.* from (select * from fact_group where scope = %(scope)s and open"
            " order by scope, sealed, subject, predicate, claim limit 50) g join fact f using (scope, claim)",
        ),
        Read(
            "page of 50 contradictions as of the past",
            again,
            lambda binding, _: _some(find_contradictions(binding, ContradictionQuery(as_of=past))),
            lambda _: ("contradictions", {"limit": 50, "as_of": PAST}),
            "select f.* from (select * from fact_group where scope = %(scope)s"
            " order by scope, sealed, subject, predicate, claim limit 100) g join fact f using (scope, claim)"
            " where f.recorded_at <= %(past)s",
            _and_past(past),
        ),
        Read(
            "provenance of 50 facts",
            roots,
            lambda binding, root: provenance(binding, root, max_depth=DEEPEST),
            lambda root: (f"facts/{root}/provenance", {"max_depth": DEEPEST}),
            "select * from fact where scope = %(scope)s and id = any(%(ids)s)",
            lambda root: {"ids": _diamond(root)},
        ),
        Read(
            "first page of the scope",
            again,
            lambda binding, _: query_facts(binding, FactQuery()),
            lambda _: ("facts", {}),
            "select * from fact where scope = %(scope)s order by recorded_at desc, id limit 50",
        ),
        Read(
            "query a rare predicate",
            again,
            lambda binding, _: query_facts(binding, FactQuery(predicate=RARE_PREDICATE)),
            lambda _: ("facts", {"predicate": RARE_PREDICATE}),
            "select * from fact where scope = %(scope)s and predicate = %(target)s"
            " order by recorded_at desc, id limit 50",
            lambda _: {"target": RARE_PREDICATE},
        ),
        Read(
            "search of words that never meet",
            again,
            lambda binding, _: query_facts(binding, FactQuery(text="creditScore annualIncome")),
            lambda _: ("facts", {"text": "creditScore annualIncome"}),
            "select * from fact where search @@ %(words)s::tsquery order by recorded_at desc, id limit 50",
            lambda _: {"words": "creditScore annualIncome"},
        ),
        Read(
            "search of a rare word",
            numbers,
            lambda binding, number: query_facts(binding, FactQuery(text=f"customer {number}")),
            lambda number: ("facts", {"text": f"customer {number}"}),
            "select * from fact where search @@ %(words)s::tsquery order by recorded_at desc, id limit 50",
            lambda number: {"words": f"customer {number}"},
        ),
        Read(
            "search of common words",
            again,
            lambda binding, _: query_facts(binding, FactQuery(text="harbour garden")),
            lambda _: ("facts", {"text": "harbour garden"}),
            "select * from fact where scope = %(scope)s and search @@ %(words)s::tsquery"
            " order by recorded_at desc, id limit 50",
            lambda _: {"words": "harbour garden"},
        ),
    ]


def with_scope(values: dict[str, Any], scope: int) -> dict[str, Any]:
    """The values of a bare statement; words are prefixed with the scope, as the index has them."""
    if "words" in values:
        words = (f"'{scope}:{word}'" for word in lexemes(values["words"]))
        values = values | {"words": " & ".join(words)}
    return values | {"scope": scope}


def _and_past(past: datetime) -> Callable[[Target], dict[str, Any]]:
    return lambda target: {"target": target, "past": past}


def _diamond(root: str) -> list[str]:
    first = int(root.split("-")[1]) - 4
    return [f"fact:customer-{first + place // A_SUBJECT}-{place % A_SUBJECT}" for place in range(50)]


def _some(page: Any) -> Any:
    """The page itself, once it is sure that something was measured."""
    if not page.contradictions:
        raise RuntimeError("no contradictions were found, and every tenth subject has one")
    return page
