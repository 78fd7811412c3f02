"""Whatever the lines hold: proposals that fit together, the same ones each time, and no crash."""

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.layers.distillers.extractive.units import texts_of, without_attachments
from memory.layers.rules.proposals import Known, Line
from tests.layers.extractive_talk import START, distiller

PIECES = st.sampled_from(
    [
        "I ", "we decided to ", "my friend ", "Edda ", "Holm ", "in ", "Turku ", "```", "\n", "? ", ". ", "! ",
        "[", "]", "(", ")", "`", "**", "# ", "yes ", "Shall I ", "by Friday ", "I believe that ", "I prefer ",
        "漢字", "はい", "Мир ", "é", "\u0301", "\x00", "\ud7ff", "\U0001f44d", "[secret: token] ", "Error: ",
        "E   ", "1 failed", "<think>", "</think>", "'s ", "’s ", "https://a.example/ ", "a@b ", " " * 30,
        "x" * 700, "|", "…",
    ]
)  # fmt: skip
TEXTS = st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=60))
LINES = st.lists(
    st.tuples(
        st.integers(1, 2),
        st.sampled_from(["user", "assistant", "tool", "system", "someone else"]),
        st.sampled_from(["", "Edda", "Jorun", "Claude", "user", "\x00", "Édith Ève"]),
        TEXTS,
        st.integers(-50, 400),
    ),
    max_size=12,
)


def made(rows) -> list[Line]:
    index = {1: 0, 2: 0}
    lines = []
    for session, role, speaker, text, minutes in rows:
        lines.append(Line(session, index[session], role, speaker, text, START + timedelta(minutes=minutes)))
        index[session] += 1
    return sorted(lines, key=lambda line: (line.session, line.index))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(LINES)
def test_proposals_of_any_lines_fit_together(rows):
    lines = made(rows)
    known = Known(concepts={"edda": ("Person", "Edda"), "turku": ("Topic", "Turku")}, frequent=frozenset({"friend"}))
    found = distiller().distil(lines, known)
    by_place = {(line.session, line.index): line for line in lines}
    fragments = {fragment.key for fragment in found.fragments}
    events = {event.key for event in found.events}
    assert len(fragments) == len(found.fragments)
    assert len(events) == len(found.events)
    assert len({concept.key for concept in found.concepts}) == len(found.concepts)
    for fragment in found.fragments:
        assert 0 < len(fragment.text.strip()) <= 1_000
        assert 0 < fragment.salience <= 1
        for index in range(fragment.lines.first, fragment.lines.last + 1):
            assert (fragment.lines.session, index) in by_place
    for event in found.events:
        assert event.title
        assert event.begins <= event.ends
        assert set(event.fragments) <= fragments
    for concept in found.concepts:
        assert concept.name
        assert concept.fragments
        assert set(concept.fragments) <= fragments
        assert set(concept.events) <= events
    assert {fact.fragment for fact in found.facts} <= fragments
    assert distiller().distil(lines, known) == found


@given(TEXTS, st.sampled_from(["user", "assistant", "tool"]))
def test_texts_of_a_line_are_short_and_never_empty(text, role):
    assert all(0 < len(part) <= 1_000 and part.strip() for part in texts_of(Line(1, 0, role, "", text, START)))


@given(TEXTS)
def test_remarks_are_cut_out_and_nothing_is_added(text):
    assert len(without_attachments(text)) <= len(text)
