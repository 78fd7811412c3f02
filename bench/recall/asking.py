"""One question asked in every way: over REST, of the function behind it with each of its parts, and of the rival."""

from typing import Any

from bench.layers.space import Store
from bench.recall.kinds import BARE, DATABASE, EMBEDDING, FUNCTION, PYTHON, REST
from bench.recall.questions import Question
from bench.recall.statements import parts_clock
from bench.timing import statement_clock, timed
from memory.layers.elements import run_sql
from memory.layers.indexing import embedder_of
from memory.layers.vectors import halfvec_text
from memory.recall.answering import Request, answer

_NEAREST_TEN = (
    "select node from node_index where scope = %(scope)s and layer = 1"
    " order by embedding <#> %(query)s::halfvec limit 10"
)


def asked(store: Store, question: Question, turn: int) -> tuple[dict[str, float], bool]:
    """The times of a question in milliseconds, and whether what it is about was found.

    What is found grows stronger, as it does for seats. The rival goes before the function and after it in turns.
    """
    answers: list[Any] = []
    document = {"query": question.text}
    rest = timed(lambda: answers.append(store.rest.post("recall", document, question.asked_of.token)))
    spent = {REST: rest}
    steps = (_function, _bare) if turn % 2 else (_bare, _function)
    for step in steps:
        spent |= step(store, question)
    return spent, any(item["text"] == question.expected for item in answers[0]["items"])


def _function(store: Store, question: Question) -> dict[str, float]:
    with parts_clock(store.alias) as clock:
        function = timed(lambda: answer(question.asked_of.binding, Request(question.text, reinforce=True)))
    database = sum(clock.spent.values())
    return {FUNCTION: function, PYTHON: function - database, DATABASE: database, **clock.spent}


def _bare(store: Store, question: Question) -> dict[str, float]:
    """The rival, and the question's vector, which it needs as well."""
    scope = question.asked_of.scope
    embedder = embedder_of(scope)
    embedding = timed(lambda: embedder.embed([question.text]))
    values = {"scope": scope, "query": halfvec_text(embedder.embed([question.text])[0])}
    with statement_clock(store.alias) as clock:
        run_sql(_NEAREST_TEN, values)
    return {EMBEDDING: embedding, BARE: clock.spent}
