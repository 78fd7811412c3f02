"""What of a conversation is kept as fragments, and what is left out."""

import pytest

from memory.layers.rules.proposals import Known, LineRange
from tests.layers.extractive_talk import START, distilled, distiller, fragments, lines, texts


def test_an_informative_line_is_one_fragment_in_its_own_words():
    (fragment,) = fragments(("Mira", "The plumber fixed the boiler in the cellar."))
    assert fragment.text == "The plumber fixed the boiler in the cellar."
    assert fragment.lines == LineRange(1, 0, 0)
    assert (fragment.speaker, fragment.said_at, fragment.salience) == ("Mira", START, 1.0)


@pytest.mark.parametrize(
    "filler",
    [
        "Hey!",
        "Thanks, Olaf!",
        "Good morning, how are you?",
        "Haha, yes, exactly.",
        "Sounds great, see you soon!",
        "You're so welcome, Mira.",
        "👍",
        "...",
        "   ",
        "Wow, that's amazing! I'm so happy for you.",
        "[secret: password]",
        "Sure, [secret: one-time code]",
        "はい",
        "Да",
        "好的",
        "Danke!",
    ],
)
def test_small_talk_is_dropped(filler):
    assert texts(("Mira", "The bakery on the corner closes in June."), ("Olaf", filler))[1:] == []


@pytest.mark.parametrize(
    "said",
    [
        "The heating costs 210 a month.",
        "Ok, 7pm then.",
        "[shares a photo: a red bicycle leaning on a fence]",
        "Look at this picture!",
        "We hiked along the cliffs.",
        "Is Helga here?",
        "Thanks to Helga!",
        "Der Vermieter hat die Kaution überwiesen.",
        "Gestern war ich beim Zahnarzt.",
        "Mañana empieza la obra en la cocina.",
        "昨日は雨でした",
        "我们下周搬家",
        "Я живу у моря",
        "ฉันย้ายไปเชียงใหม่",
        "أعمل في مستشفى",
    ],
)
def test_a_line_that_tells_something_stays_in_every_language(said):
    assert said in texts(("Mira", "The bakery closes in June."), ("Olaf", said))


def test_one_word_counts_when_it_answers_a_question():
    asked = fragments(("Mira", "What colour is the new door?"), ("Olaf", "Green."))
    assert [fragment.text for fragment in asked] == ["What colour is the new door?", "Green."]
    assert asked[1].salience < 1
    assert texts(("Mira", "The new door is beautiful."), ("Olaf", "Green.")) == ["The new door is beautiful."]


def test_what_is_nearly_filler_has_low_salience():
    (fragment,) = fragments(("Mira", "It was such a lovely evening, I really enjoyed it."))
    assert 0 < fragment.salience < 1


def test_a_long_line_is_split_at_sentence_ends_into_fragments_that_rest_on_it():
    sentence = "The council measured the river level again and wrote the result down by hand."
    found = fragments(("user", " ".join(f"{number}. entry: {sentence}" for number in range(40))))
    assert len(found) > 2
    assert all(len(fragment.text) <= 1_000 for fragment in found)
    assert all(fragment.text.endswith("by hand.") for fragment in found)
    assert {fragment.lines for fragment in found} == {LineRange(1, 0, 0)}
    assert len({fragment.key for fragment in found}) == len(found)


@pytest.mark.parametrize("text", ["word " * 700, "x" * 2_500, "漢字" * 1_300, "a.b.c." * 500])
def test_a_long_line_without_sentences_loses_nothing(text):
    found = texts(("user", text))
    assert all(0 < len(part) <= 1_000 for part in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_fenced_code_goes_and_the_sentences_around_it_stay():
    said = "The loop never ends.\n```python\nwhile True:\n    pass\n```\nA counter repairs it."
    assert texts(("assistant", said)) == ["The loop never ends.\nA counter repairs it."]
    assert texts(("user", "~~~\nmake install\n~~~")) == []
    assert texts(("user", "Here is the unfinished file:\n```\nimport os")) == ["Here is the unfinished file:"]


def test_private_thought_is_left_out():
    assert texts(("assistant", "<think>The user seems new.</think>Install the compiler first.")) == [
        "Install the compiler first."
    ]
    assert texts(("assistant", "<thinking>never closed")) == []


def test_tool_output_keeps_only_its_last_three_errors():
    output = "\n".join(
        [
            "collected 12 items",
            "ValueError: first",
            "KeyError: second",
            "E   AssertionError: third",
            "FAILED tests/test_door.py::test_opens",
            "2 failed, 10 passed in 1.2s",
        ]
    )
    (fragment,) = fragments(("tool", output))
    assert fragment.kind == "tool error"
    assert fragment.text.split("\n") == [
        "E AssertionError: third",
        "FAILED tests/test_door.py::test_opens",
        "2 failed, 10 passed in 1.2s",
    ]


@pytest.mark.parametrize(
    "output",
    [
        "12 passed in 0.3s",
        "0 failed, 4 passed",
        "raise ValueError('in a listing')",
        "error_count = 0",
        "def handle(error: str) -> None:",
        "",
    ],
)
def test_tool_output_without_errors_leaves_nothing(output):
    assert texts(("tool", output)) == []


@pytest.mark.parametrize(
    "row",
    [
        "fatal: not a git repository",
        "error[E0382]: borrow of moved value",
        "src/door.c:14:3: error: unknown type name",
        "thread 'main' panicked at src/main.rs:4",
        "npm ERR! missing script: build",
        "bash: frobnicate: command not found",
        "Process exited with code 2",
        "django.db.utils.OperationalError: server closed the connection",
    ],
)
def test_errors_of_many_tools_are_recognised(row):
    assert texts(("tool", f"working\n{row}\ndone")) == [row]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Where do the spare keys hang?", "question"),
        ("We decided to keep the old roof.", "decision"),
        ("Let's go with the cheaper printer.", "decision"),
        ("Wir haben uns für die Wohnung am Fluss entschieden.", "decision"),
        ("Hemos decidido vender el coche.", "decision"),
        ("来月引っ越すことに決めました。", "decision"),
        ("I prefer tea over coffee.", "preference"),
        ("I promise to water the tomatoes while you are away.", "commitment"),
        ("We're planning to insulate the attic.", "plan"),
        ("The attic has no insulation.", "statement"),
        ("The attic picked up a leak, I'm going with my brother to look.", "statement"),
    ],
)
def test_a_fragment_has_the_kind_of_what_it_says(said, kind):
    assert [fragment.kind for fragment in fragments(("Mira", said))] == [kind]


def test_a_told_time_is_resolved_against_the_line():
    (fragment,) = fragments(("Mira", "Yesterday the museum opened its new wing."))
    assert fragment.spoken.words.lower() == "yesterday"
    assert fragment.spoken.begins.date().isoformat() == "2026-03-01"


def test_long_prose_of_an_assistant_gives_fragments_but_no_dates_or_facts():
    prose = "On 4 May 2020 the mill burned down. I prefer rye bread and I live in Ghent. " * 10
    long = distilled(("assistant", prose))
    assert long.fragments
    assert long.facts == ()
    assert all(fragment.spoken is None for fragment in long.fragments)
    assert distilled(("user", prose)).facts


def test_a_yes_after_a_proposal_is_kept_as_a_decision_on_both_lines():
    found = fragments(("assistant", "Shall I drop the old billing table?"), ("user", "Yes, do it."))
    (decision,) = found
    assert decision.kind == "decision"
    assert decision.text == "Shall I drop the old billing table? Yes, do it."
    assert decision.lines == LineRange(1, 0, 1)


def test_a_no_after_a_proposal_is_kept_with_its_no():
    (decision,) = fragments(
        ("assistant", "Should we delete the staging bucket as well?"), ("user", "No, please don't.")
    )
    assert (decision.kind, decision.text.endswith("No, please don't.")) == ("decision", True)


def test_the_rest_of_a_line_that_ends_in_a_proposal_stays_beside_the_decision():
    told = "The index is 40 GB and slows every insert down. It has not been read since autumn. Shall I drop it?"
    statement, decision = fragments(("assistant", told), ("user", "ok"))
    assert statement.text == told
    assert decision.text == "Shall I drop it? ok"


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Did the parcel arrive?", "Yes"),
        ("Can I have the recipe?", "Sure!"),
        ("The parcel should arrive on Monday.", "Ok"),
    ],
)
def test_a_yes_to_anything_else_decides_nothing(asked, answered):
    assert [fragment.kind for fragment in fragments(("Mira", asked), ("Olaf", answered))] == [
        "question" if asked.endswith("?") else "statement"
    ]


def test_nobody_agrees_with_himself():
    found = fragments(("user", "Shall we repaint the hall?"), ("user", "Yes."))
    assert [fragment.kind for fragment in found] == ["question"]


def test_the_same_lines_give_the_same_proposals():
    rows = [("Mira", "We chose oak for the floor."), ("Olaf", "Paulo said oak lasts longest."), ("Mira", "Thanks!")]
    assert distilled(*rows) == distilled(*rows)


def test_keys_tell_the_sessions_of_a_batch_apart():
    both = [*lines(("Mira", "The roof leaks.")), *lines(("Mira", "The roof leaks."), session=2)]
    found = distiller().distil(both, Known()).fragments
    assert len({fragment.key for fragment in found}) == 2


def test_no_lines_give_no_proposals():
    assert distilled() == distilled(("Mira", "Hi!"))
    assert distilled().fragments == ()
