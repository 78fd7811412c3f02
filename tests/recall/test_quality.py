"""How often the lines that answer a question are among the first ten, from conversations through distillation."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from audit.recording import SYSTEM
from memory.layers.distilling import distil
from memory.layers.runs import ask as ask_for_run
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from tests.recall.conftest import asked
from tests.rest.client import Rest, seat
from tests.sessions.conftest import appended, opened

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "recall"
Line = tuple[str, int]


def distilled(space: Any, rest: Rest, sessions: dict[str, list[dict[str, Any]]]) -> None:
    """Send conversations as a client does, and distil them."""
    for client_id, lines in sessions.items():
        session = opened(rest, client_id, started_at=lines[0]["at"])
        appended(rest, session, lines)
    with entered(space):
        with memory_transaction() as act:
            run = ask_for_run(act, space.scopes.get().pk, SYSTEM, "manual")
        assert distil(run.pk)


def found_lines(rest: Rest, question: str) -> list[Line]:
    """The first ten lines that the items of an answer rest on."""
    lines: dict[Line, None] = {}
    for item in asked(rest, question, limit=20)["items"]:
        for source in item["sources"]:
            for index in range(source["from"], source["to"] + 1):
                lines[source["client_id"], index] = None
    return list(lines)[:10]


def evidence_recall(rest: Rest, questions: Iterable[tuple[str, list[Line]]]) -> float:
    """The mean share of the evidence among the first ten lines."""
    shares = []
    for question, evidence in questions:
        found = found_lines(rest, question)
        shares.append(mean(line in found for line in evidence))
    return mean(shares)


TALKS = {
    "2026-01-10": [
        ("Ida", "Happy new year! Did you get the keys to the workshop in the end?"),
        ("Per", "Yes, on the second of January. It smells of turpentine and mice."),
        ("Ida", "Mice! You will need a cat."),
        ("Per", "My neighbour Runa lends me hers, a grey one called Button."),
        ("Ida", "I have news as well: I signed up for a course in bookbinding."),
        ("Per", "Where is that?"),
        ("Ida", "At the evening school behind the harbour, every Tuesday."),
        ("Per", "You always said you wanted to repair your grandfather's atlas."),
        ("Ida", "That is the plan. The spine is broken in three places."),
        ("Per", "For the workshop I still need a lathe. A used one costs about four hundred."),
        ("Ida", "Ask Tore, he sold two last year."),
        ("Per", "Good idea, I will call him on Friday."),
    ],
    "2026-02-21": [
        ("Per", "The lathe is here! Tore let me have it for three hundred and fifty."),
        ("Ida", "What will you turn first?"),
        ("Per", "Bowls, out of the cherry tree that fell in my mother's garden in November."),
        ("Ida", "Lovely. I finished my first notebook, with a marbled cover."),
        ("Per", "Which colours?"),
        ("Ida", "Green and a rusty red. The teacher, Mrs Aune, says my corners are too thick."),
        ("Per", "Corners are hard. How is the choir?"),
        ("Ida", "I left it. Two evenings a week were too much beside the course."),
        ("Per", "Do you miss it?"),
        ("Ida", "A little. Most of all the singing in the old swimming hall, for its echo."),
        ("Per", "I slipped on the ice and sprained my wrist, so no turning for two weeks."),
        ("Ida", "Oh no! Left or right?"),
        ("Per", "The left one, luckily."),
    ],
    "2026-04-05": [
        ("Ida", "How is the wrist?"),
        ("Per", "Healed. I have turned eleven bowls, and one cracked in the kiln room."),
        ("Ida", "Will you sell them?"),
        ("Per", "At the spring market on the ninth of May, I have booked a table beside the bakery."),
        ("Ida", "I'll come and buy one for my sister Maja, she moves to Bergen in June."),
        ("Per", "What does she do there?"),
        ("Ida", "She starts as a pilot on the harbour boats."),
        ("Per", "A pilot! I always thought that she would become a vet like your aunt."),
        ("Ida", "She is allergic to horses, so that ended early."),
        ("Per", "Did you get to the atlas?"),
        ("Ida", "The spine is done. For the torn maps I need Japanese paper, which Mrs Aune orders."),
        ("Per", "I would like to see it. Thursday?"),
        ("Ida", "Thursday is my night shift at the pharmacy. Sunday?"),
        ("Per", "Sunday then, I'll bring rhubarb cake."),
    ],
    "2026-05-17": [
        ("Per", "I sold nine bowls at the market, and a man from the museum ordered twenty more."),
        ("Ida", "Twenty! For their shop?"),
        ("Per", "For the café there. They want them in ash wood and oiled with linseed."),
        ("Ida", "When do they need them?"),
        ("Per", "By the end of August. I may have to take a week off from the post office."),
        ("Ida", "I could help with sanding. My course is over until September."),
        ("Per", "Would you? I pay in cake."),
        ("Ida", "Deal. By the way, Button has had four kittens, Runa told me."),
        ("Per", "In my wood shavings! I'm keeping the white one."),
        ("Ida", "What is it called?"),
        ("Per", "Dowel."),
        ("Ida", "Perfect. I'm reading about the paper mills of Fabriano and want to go there in October."),
        ("Per", "To Italy? By train?"),
        ("Ida", "By night train through Munich, I am afraid of flying."),
    ],
}
QUESTIONS: list[tuple[str, list[Line]]] = [
    ("What is the cat of Per's neighbour called?", [("2026-01-10", 3)]),
    ("When did Per get the keys to the workshop?", [("2026-01-10", 1)]),
    ("Where does Ida learn bookbinding?", [("2026-01-10", 6)]),
    ("What does Ida want to repair?", [("2026-01-10", 7)]),
    ("How much did Per pay for the lathe?", [("2026-02-21", 0)]),
    ("Who sold the lathe to Per?", [("2026-02-21", 0)]),
    ("Which wood did Per use for his first bowls?", [("2026-02-21", 2)]),
    ("What colours does Ida's first notebook have?", [("2026-02-21", 5)]),
    ("Why did Ida leave the choir?", [("2026-02-21", 7)]),
    ("Which wrist did Per sprain?", [("2026-02-21", 12), ("2026-02-21", 10)]),
    ("How many bowls did Per turn by April?", [("2026-04-05", 1)]),
    ("When is the spring market?", [("2026-04-05", 3)]),
    ("Where does Ida's sister Maja move to?", [("2026-04-05", 4)]),
    ("What is Maja's new job?", [("2026-04-05", 6)]),
    ("What is Maja allergic to?", [("2026-04-05", 8)]),
    ("Where does Ida work at night?", [("2026-04-05", 12)]),
    ("Who ordered twenty bowls?", [("2026-05-17", 0)]),
    ("How should the museum's bowls be oiled?", [("2026-05-17", 2)]),
    ("What does Per do for a living?", [("2026-05-17", 4)]),
    ("What is the white kitten called?", [("2026-05-17", 10), ("2026-05-17", 8)]),
    ("How does Ida want to travel to Italy?", [("2026-05-17", 13)]),
    ("What is Ida afraid of?", [("2026-05-17", 13)]),
]


def test_the_lines_that_answer_are_among_the_first_ten(north: Any, rest: Rest):
    sessions = {
        day: [
            {"role": "user", "speaker": speaker, "text": text, "at": f"{day}T18:{minute:02}:00Z"}
            for minute, (speaker, text) in enumerate(lines)
        ]
        for day, lines in TALKS.items()
    }
    distilled(north, rest, sessions)
    assert evidence_recall(rest, QUESTIONS) >= 0.9


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the conversations are not at hand")
def test_of_a_long_conversation_the_evidence_is_found_as_often_as_was_measured(north: Any):
    folder = min(path for path in SHARED.iterdir() if path.is_dir())
    sessions: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in map(json.loads, (folder / "lines.jsonl").read_text("utf-8").splitlines()):
        sessions[line.pop("session")].append({name: value for name, value in line.items() if name != "index"})
    rest = seat(north)
    distilled(north, rest, sessions)
    questions = [
        (asked_of["question"], [(line["session"], line["index"]) for line in asked_of["evidence"]])
        for asked_of in map(json.loads, (folder / "questions.jsonl").read_text("utf-8").splitlines())
    ]
    assert evidence_recall(rest, questions) >= 0.75
