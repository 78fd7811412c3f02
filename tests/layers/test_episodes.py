"""Where conversations are cut into episodes, and how episodes and decisions are told."""

from datetime import timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.distillers.extractive.episodes import LONGEST, PAUSE, SHORTEST, episodes, stretches
from memory.layers.rules.proposals import Known
from tests.layers import extractive_talk as talk
from tests.layers.extractive_talk import START, decisions, distilled, distiller, lines

GARDEN = [
    ("Mira", "The tomatoes in the garden need more compost this spring."),
    ("Olaf", "My compost heap is full of worms, take two buckets for the tomatoes."),
    ("Mira", "Tomatoes like calcium, so I add crushed eggshells to the soil."),
    ("Olaf", "The soil in my garden is heavy clay, only potatoes grow well."),
    ("Mira", "Raised beds solved the clay soil for my carrots and potatoes."),
]
ENGINE = [
    ("Olaf", "The motorcycle engine stalls whenever the carburetor runs cold."),
    ("Mira", "Did you clean the carburetor jets and check the spark plugs?"),
    ("Olaf", "The spark plugs are new, but the engine still loses fuel pressure."),
    ("Mira", "A cracked fuel hose lets air into the carburetor and stalls the engine."),
    ("Olaf", "The mechanic found a crack in the fuel hose under the tank."),
]
THINGS = ["door", "gate", "shed", "hall", "roof"]


def unit(rows):
    rows = np.asarray(rows, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_turn_of_topic_ends_an_episode():
    first, second = talk.episodes(distilled(*GARDEN, *ENGINE))
    assert len(first.fragments) == len(GARDEN)
    assert "garden" in first.title.lower() or "soil" in first.title.lower() or "tomatoes" in first.title.lower()
    assert "carburetor" in second.title.lower() or "engine" in second.title.lower()


def test_a_pause_of_more_than_thirty_minutes_ends_an_episode():
    before = lines(*GARDEN)
    after = [line for line in lines(*GARDEN, *GARDEN, start=START + timedelta(hours=1)) if line.index >= len(GARDEN)]
    found = talk.episodes(distiller().distil([*before, *after], Known()))
    assert [len(event.fragments) for event in found] == [5, 5]
    assert found[0].ends < found[1].begins


def test_exactly_thirty_minutes_are_no_pause():
    assert stretches([1, 1], [START, START + PAUSE]) == [range(2)]
    assert stretches([1, 1], [START, START + PAUSE + timedelta(seconds=1)]) == [range(1), range(1, 2)]


def test_an_episode_ends_with_its_session():
    assert stretches([1, 1, 2, 2], [START] * 4) == [range(2), range(2, 4)]


def test_nothing_has_no_stretches():
    assert stretches([], []) == []
    assert episodes([], np.zeros((0, 3), dtype=np.float32)) == []


def test_the_cut_stands_where_the_vectors_turn():
    vectors = unit([[1, 0.1 * (place % 2)] for place in range(7)] + [[0.1 * (place % 2), 1] for place in range(9)])
    assert episodes([range(16)], vectors) == [range(7), range(7, 16)]


def test_a_ripple_beside_a_deep_turn_is_no_cut():
    angles = [0.0] * 6 + [0.25] * 6 + [1.5] * 8
    vectors = unit([[np.cos(angle), np.sin(angle)] for angle in angles])
    assert episodes([range(20)], vectors) == [range(12), range(12, 20)]


@given(st.lists(st.integers(1, 90), max_size=6), st.integers(0, 2**32 - 1))
def test_episodes_cover_every_line_once_within_their_bounds(lengths, seed):
    vectors = unit(np.random.default_rng(seed).normal(size=(sum(lengths), 8)).reshape(-1, 8))
    within = []
    start = 0
    for length in lengths:
        within.append(range(start, start + length))
        start += length
    found = episodes(within, vectors)
    assert [place for part in found for place in part] == list(range(sum(lengths)))
    for part in found:
        whole = next(stretch for stretch in within if part.start in stretch)
        assert part.stop <= whole.stop
        assert len(part) <= LONGEST
        assert len(part) >= min(SHORTEST, len(whole))


def test_a_title_tells_the_topic_the_speakers_and_the_day():
    (event,) = talk.episodes(distilled(*ENGINE))
    topic, speakers, day = event.title.split(" · ")
    assert len(topic.split(", ")) == 3
    assert (speakers, day) == ("Olaf and Mira", "2026-03-02")


def test_a_title_names_no_more_than_three_speakers():
    rows = [(name, f"The {thing} needs new paint.") for name, thing in zip("ABCDE", THINGS, strict=True)]
    (event,) = talk.episodes(distiller().distil(lines(*rows, role="user"), Known()))
    assert "A, B, C and others" in event.title


def test_speakers_without_names_are_left_out_of_titles():
    (event,) = talk.episodes(
        distilled(("user", "The deploy script misses a comma."), ("assistant", "The comma is fixed."))
    )
    assert event.title.count(" · ") == 1


def test_titles_hold_no_secret_marks():
    rows = [("Mira", "The router's login is [secret: password], the router hangs in the hall."), *GARDEN[:3]]
    assert all("secret" not in event.title.lower() for event in distilled(*rows).events)


def test_an_extract_is_of_sentences_that_were_said():
    (event,) = talk.episodes(distilled(*ENGINE))
    assert 1 <= sum(text in event.text for _, text in ENGINE) <= 3
    assert event.text.startswith(("Olaf: ", "Mira: "))


def test_an_extract_leaves_out_remarks_on_pictures():
    rows = [(who, f"[shares a photo: a photo of vegetables] {text}") for who, text in GARDEN]
    assert all("photo" not in event.text for event in distilled(*rows).events)


def test_an_episode_spans_its_lines_in_time():
    (event,) = talk.episodes(distilled(*ENGINE))
    assert (event.begins, event.ends) == (START, START + timedelta(minutes=4))


def test_a_lone_fragment_is_no_episode():
    assert distilled(("Mira", "The boiler was serviced in the cellar.")).events == ()


def test_a_decision_is_an_event_with_the_two_lines_around_it():
    rows = [*GARDEN[:4], ("Olaf", "We decided to build raised beds along the fence."), *ENGINE[:4]]
    (event,) = decisions(distilled(*rows))
    assert event.title.startswith("Decided: ")
    assert "raised beds" in event.title
    assert event.text == "Olaf: We decided to build raised beds along the fence."
    assert list(event.fragments) == [f"f1.{index}.0" for index in range(2, 7)]


def test_a_decision_takes_no_line_from_beyond_a_pause():
    rows = lines(*GARDEN[:2], ("Olaf", "We decided to build raised beds."))
    late = [line for line in lines(*GARDEN, start=START + timedelta(hours=3)) if line.index >= 3]
    (event,) = decisions(distiller().distil([*rows, *late], Known()))
    assert list(event.fragments) == ["f1.0.0", "f1.1.0", "f1.2.0"]


def test_a_decision_against_says_so():
    (event,) = decisions(distilled(("Mira", "I've decided against a heat pump for now.")))
    assert event.title.startswith("Decided against: ")


def test_a_commitment_is_an_event_too():
    (event,) = decisions(distilled(("Mira", "I'll send the floor plan to Paulo by Friday.")))
    assert event.title.startswith("Promised: ")
    assert "floor plan" in event.title


def test_a_yes_to_a_proposal_is_titled_by_the_question_and_the_answer():
    (event,) = decisions(distilled(("assistant", "Shall I archive the old invoices?"), ("user", "Yes, go ahead.")))
    assert event.title == "Decided: Shall I archive the old invoices? Yes, go ahead"


def test_japanese_and_german_decisions_are_titled_in_their_own_words():
    (event,) = decisions(distilled(("Mira", "来月、大阪へ引っ越すことに決めました。")))
    assert event.title == "Decided: 来月、大阪へ引っ越すことに決めました"
    (event,) = decisions(distilled(("Mira", "Wir haben uns für den grauen Teppich entschieden.")))
    assert "grauen Teppich" in event.title


def test_every_reference_of_an_event_names_a_fragment():
    found = distilled(*GARDEN, ("Olaf", "We chose the red bricks."), *ENGINE)
    keys = {fragment.key for fragment in found.fragments}
    assert all(set(event.fragments) <= keys for event in found.events)
    assert len({event.key for event in found.events}) == len(found.events)


def test_words_the_scope_uses_often_weigh_less_in_titles():
    rows = [("Mira", "The harvest wagon is loaded."), ("Olaf", "The harvest is late this year, the wagon waits.")]
    plain = talk.episodes(distilled(*rows))[0].title
    often = talk.episodes(distilled(*rows, known=Known(frequent=frozenset({"harvest"}))))[0].title
    assert plain.startswith("Harvest")
    assert not often.startswith("Harvest")
