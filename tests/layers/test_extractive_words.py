"""The small parts of the extractive distiller: words, sentences, names and the forms they take, weights."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.layers.distillers.extractive.agreement import is_answer, proposal_in
from memory.layers.distillers.extractive.aliases import canonical, full_names, nicknames
from memory.layers.distillers.extractive.language import is_english
from memory.layers.distillers.extractive.lexicon import entries, headings_by_entry
from memory.layers.distillers.extractive.sightings import prose_of, sightings
from memory.layers.distillers.extractive.vocabulary import Vocabulary
from memory.layers.distillers.extractive.words import is_question, sentences, shortened, words_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rains. We stay in! Do you? Yes", ["It rains.", "We stay in!", "Do you?", "Yes"]),
        ("Dr. Weber came at 5.30 with Mr. Klee.", ["Dr. Weber came at 5.30 with Mr. Klee."]),
        ("Use tools, e.g. a saw. Then sand.", ["Use tools, e.g. a saw.", "Then sand."]),
        ("1. Boil water. 2. Add salt.", ["1. Boil water.", "2. Add salt."]),
        ("雨です。家にいます！はい", ["雨です。", "家にいます！", "はい"]),
        ('He said "stop." Then he left...', ['He said "stop."', "Then he left..."]),
        ("first row\nsecond row\n\n", ["first row", "second row"]),
        ("", []),
    ],
)
def test_sentences_end_where_readers_end_them(text, expected):
    assert sentences(text) == expected


@given(st.text(alphabet="aA1 .!?…\n。\"'”é漢", max_size=80))
def test_sentences_lose_nothing_but_space(text):
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text(max_size=200), st.integers(2, 60))
def test_a_shortened_text_is_one_line_within_its_limit(text, limit):
    short = shortened(text, limit)
    assert len(short) <= limit
    assert "\n" not in short
    assert short == " ".join(text.split()) or short.endswith("…")


@pytest.mark.parametrize("text", ["Really?", 'Did he say "no?"', "本当？", "Is it (really?)", "Really?!"])
def test_a_question_may_end_in_quotes_and_brackets(text):
    assert is_question(text)
    assert not is_question(text.replace("?", ".").replace("？", "。"))


def test_words_are_small_and_without_numbers():
    assert words_of("Don’t pay 40 EUR for Zoë's 2nd-hand bike") == [
        "don't",
        "pay",
        "eur",
        "for",
        "zoë's",
        "nd",
        "hand",
        "bike",
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We saw Edda and Jorun near the University of Turku.", ["Edda", "Jorun", "University of Turku"]),
        ("Edda's boat is with Jorun’s nets.", ["Edda", "Jorun"]),
        ("In May I'm with Edda, on Monday she isn't.", ["Edda"]),
        ("Thanks Edda I'll come.", ["Edda"]),
        ("The book is by P. K. Harlow.", ["P. K. Harlow"]),
        ("we met Édouard de la Tour and Łucja Nowak", ["Édouard de la Tour", "Łucja Nowak"]),
        ("we met Jean-Luc O'Neill", ["Jean-Luc O'Neill"]),
        ("nothing here, NOR in path/Of/File or @Handle", ["NOR"]),
    ],
)
def test_names_are_seen_without_the_words_around_them(text, names):
    seen = [sighting.name for sighting in sightings(text)]
    assert [name for name in seen if name.lower() != "nor"] == [name for name in names if name != "NOR"]


def test_a_capital_at_the_start_of_a_sentence_proves_nothing():
    inside = {
        sighting.name: sighting.inside
        for sighting in sightings("Edda sails. “Jorun rows. Then Turku sleeps, GitHub too.")
    }
    assert inside == {"Edda": False, "Jorun": False, "Turku": True, "GitHub": True}


def test_prose_has_no_headings_code_or_links():
    rows = ["## Big Title", "see `Code Here` at https://a.example/Path", "and [Label](https://b.example)", "| A | B |"]
    text = "\n".join([*rows, "by ann@c.example"])
    prose = prose_of(text)
    assert not any(part in prose for part in ("Big", "Code", "Path", "Label", "ann@", "| A"))
    assert "see" in prose


def test_a_full_name_stands_for_its_first_name_when_there_is_only_one():
    assert full_names({"edda", "edda holm", "jorun"}, {}) == {"edda": "edda holm"}
    assert full_names({"edda", "edda holm", "edda lund"}, {}) == {}
    assert full_names({"edda"}, {"edda holm": ("Person", "Edda Holm")}) == {"edda": "edda holm"}
    assert full_names({"edda"}, {"edda holm": ("Topic", "Edda Holm")}) == {}


def test_the_scopes_form_of_a_name_comes_first():
    full = {"edda": "edda holm"}
    assert canonical("edda", full, {}) == "edda holm"
    assert canonical("edda holm", full, {"edda": ("Person", "Edda")}) == "edda"
    assert canonical("jorun", full, {}) == "jorun"


def test_a_nickname_must_fit_exactly_one_speaker():
    assert nicknames({"ed", "edda", "edds"}, {"edda", "jorun"}) == {"ed": "edda", "edds": "edda"}
    assert nicknames({"jo"}, {"jorun", "johan"}) == {}
    assert nicknames({"e"}, {"edda"}) == {}


@pytest.mark.parametrize(
    "text", ["Yes, do it", "ok", "No, not yet.", "Ja, mach das", "Sí, hazlo", "👍", "はい、お願いします", "Go ahead!"]
)
def test_short_consent_and_refusal_are_answers(text):
    assert is_answer(text)


@pytest.mark.parametrize("text", ["Yesterday it rained", "Nobody came", "Okra is cheap", "Yes, " + "and more " * 12])
def test_words_that_begin_like_an_answer_are_none(text):
    assert not is_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "Shall I merge it?",
        "All done. Do you want me to delete the branch?",
        "Soll ich den Zweig löschen?",
        "¿Quieres que borre la rama?",
        "ブランチを削除しましょうか？",
        "Should we meet at the pier?",
    ],
)
def test_a_closing_question_that_offers_an_act_is_a_proposal(text):
    assert proposal_in(text) == sentences(text)[-1]


@pytest.mark.parametrize("text", ["Did it merge?", "I shall merge it.", "Shall I merge it? I will wait.", "Why?"])
def test_other_texts_propose_nothing(text):
    assert proposal_in(text) is None


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("the pipe under the sink drips", True),
        ("sink drips", True),
        ("der Abfluss unter der Spüle tropft nicht mehr", False),
        ("el grifo de la cocina gotea por las noches", False),
        ("le robinet de la cuisine fuit depuis une semaine", False),
    ],
)
def test_small_words_tell_english_from_its_neighbours(text, english):
    assert is_english(words_of(text)) is english


def test_rare_words_weigh_more_and_dull_words_nothing():
    vocabulary = Vocabulary([["anvil", "bellows"], ["anvil"], ["anvil", "the"]], frozenset(), {"edda"})
    assert vocabulary.weight("bellow") > vocabulary.weight("anvil") > 0
    assert vocabulary.stems("the") == ()
    assert vocabulary.stems("never seen") == ()


def test_speakers_and_frequent_words_weigh_less():
    texts = [["edda", "edda's", "anvil"]]
    vocabulary = Vocabulary(texts, frozenset({"anvil"}), {"edda"})
    assert vocabulary.stems("edda") == vocabulary.stems("edda's") == ()
    assert vocabulary.weight("anvil") == pytest.approx(Vocabulary(texts, frozenset(), set()).weight("anvil") / 2)


def test_unspaced_writing_counts_by_its_words_or_pairs():
    vocabulary = Vocabulary([["京都のデータセンター", "数据库迁移计划"]], frozenset(), set())
    assert vocabulary.stems("京都のデータセンター") == ("京都", "データセンター")
    assert vocabulary.stems("数据库迁移计划")[:2] == ("数据", "据库")


@pytest.mark.parametrize(
    "name", ["stop_words", "courtesies", "given_names", "tools", "activities", "cities", "relations"]
)
def test_word_lists_hold_no_broken_entries(name):
    assert len(entries(name)) > 40
    assert all(entry == entry.strip() and entry and "\n" not in entry for entry in entries(name))


def test_ambiguous_entries_are_entries_of_their_lists():
    assert entries("ambiguous_tools") <= entries("tools")
    assert entries("ambiguous_activities") <= entries("activities")


def test_subjects_are_lists_of_single_words():
    subjects = headings_by_entry("subjects")
    assert len(set(subjects.values())) > 15
    assert all(word.islower() and " " not in word for word in subjects)
