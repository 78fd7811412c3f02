"""The bench itself: that its facts are what its documentation says, and that a missed limit is told as one."""

from collections import Counter, defaultdict

import pytest

from bench import facts, limits, sample
from bench.report import limits_table, step_table
from memory.facts.rules.record import record_from_import

BLOCK = [sample.fact(number) for number in range(sample.BLOCK)]
BY_ID = {fact["@id"]: fact for fact in BLOCK}


def test_every_fact_can_be_imported():
    assert len({record_from_import(fact).id for fact in BLOCK}) == sample.BLOCK


def test_there_are_ten_facts_a_subject_and_the_same_ones_each_time():
    assert set(Counter(fact["subject"] for fact in BLOCK).values()) == {sample.A_SUBJECT}
    assert [sample.fact(number) for number in range(100)] == BLOCK[:100]


def test_two_of_a_hundred_contradict_each_other_and_five_supersede():
    superseded = {fact["supersedes"] for fact in BLOCK if "supersedes" in fact}
    claims = defaultdict(list)
    for fact in BLOCK:
        if fact["@id"] not in superseded:
            claims[fact["subject"], fact["predicate"]].append(fact["object"])
    disputed = [subject for (subject, _), objects in claims.items() if len(set(objects)) > 1]
    assert disputed == list(sample.contradicting(sample.BLOCK))
    assert len(disputed) * 2 == sample.BLOCK * 2 // 100
    assert len(superseded) == pytest.approx(sample.BLOCK * 5 // 100, abs=5)
    assert superseded <= set(BY_ID)


def test_fifty_facts_stand_in_diamonds_under_one_root():
    reached, waiting = set(), [sample.root_of(0)]
    while waiting:
        fact_id = waiting.pop()
        if fact_id not in reached:
            reached.add(fact_id)
            waiting += BY_ID[fact_id].get("derivedFrom", [])
    assert len(reached) == sample.DIAMOND


def step(count: int, p50: float, p95: float, rate: int) -> dict[str, object]:
    """What was measured, all of it alike."""
    times = {"least": p50, "p50": p50, "p95": p95, "count": 9}
    reads = {
        name: dict.fromkeys(("database", "function", "rest", "bare"), times) | {"load": 0.1} for name in limits.MOST
    }
    rates = {where: {"facts": 9, "a_second": rate, "load": 0.1} for where in ("function", "rest", "bare")}
    return {"facts": count, "import": rates, "reads": reads}


def test_what_is_quick_at_every_size_keeps_all_limits():
    verdicts = facts.verdicts({"steps": [step(10_000, 1, 5, 9_000), step(1_000_000, 1.5, 5, 6_000)]})
    assert all(verdict.kept for verdict in verdicts)


@pytest.mark.parametrize(
    ("largest", "missed"),
    [
        (step(1_000_000, 1, 11, 9_000), "query a subject, database, p95"),
        (step(1_000_000, 1, 41, 9_000), "contradictions of a subject, REST, p95"),
        (step(1_000_000, 1, 301, 9_000), "page of 50 contradictions, database, p95"),
        (step(1_000_000, 4, 5, 9_000), "provenance of 50 facts, growth"),
        (step(1_000_000, 1, 5, 4_999), "import, rest"),
    ],
)
def test_a_missed_limit_is_told_as_one(largest, missed):
    verdicts = facts.verdicts({"steps": [step(10_000, 1, 5, 9_000), largest]})
    assert missed in [verdict.what for verdict in verdicts if not verdict.kept]
    row = next(line for line in limits_table(verdicts).splitlines() if missed in line)
    assert "MISSED" in row


def test_a_step_is_shown_with_its_rival_and_its_load():
    shown = step_table(step(10_000, 1, 5, 9_000))
    assert "bare SQL" in shown
    assert "9,000" in shown
    assert "1.0 / 1.0 / 5.0" in shown
