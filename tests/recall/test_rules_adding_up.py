"""A score as a sum of terms, and the words of a text that a question met."""

import itertools
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from memory.recall.rules.adding_up import Step, most_of, steps_of
from memory.recall.rules.candidates import Account
from memory.recall.rules.marking import marked

shares = st.floats(0, 2)
accounts = st.builds(
    Account,
    words=shares,
    cosine=shares,
    activation=shares,
    factors=st.dictionaries(st.sampled_from(["brief", "speaker", "date", "another part"]), st.floats(0.1, 2)),
    spread=st.fixed_dictionaries({"neighbour": shares, "event": shares}),
    strength=st.floats(0, 1),
    limit=st.none() | shares,
)


@given(accounts, st.integers(0, 3))
def test_the_terms_add_up_to_the_score(account: Account, layer: int):
    steps = steps_of(asdict(account), layer)

    assert abs(sum(step.adds for step in steps) - account.total) < 1e-9
    assert all(abs(one.after - other.before) < 1e-12 for one, other in itertools.pairwise(steps))


def test_a_term_that_adds_nothing_is_left_out_but_for_words_and_a_fragments_cosine():
    nothing = Account(0.0, 0.0, 0.0, {"brief": 1.0}, {"neighbour": 0.0}, 1.0)

    assert [step.label for step in steps_of(asdict(nothing), 1)] == ["Words", "Nearness in meaning"]
    assert [step.label for step in steps_of(asdict(nothing), 3)] == ["Words"]


def test_strength_and_a_limit_take_away():
    account = Account(1.0, 0.5, 0.0, {}, {}, 0.5, limit=0.6)

    taken = [(step.label, step.says, round(step.adds, 3)) for step in steps_of(asdict(account), 2)[2:]]

    assert taken == [("Strength", "× 0.500", -0.75), ("Stands behind its own lines", "at most 0.600", -0.15)]


def test_the_widest_sum_of_all_places_is_found():
    assert most_of([[Step("a", "", 0.0, 2.0), Step("b", "", 2.0, -1.0)], [Step("a", "", 0.0, 1.5)]]) == 2.0
    assert most_of([]) == 0.0


def test_words_are_marked_whatever_their_form():
    pieces = marked("She re-issued two Statements, stating why.", ["statement", "issu"])

    assert [text for text, is_met in pieces if is_met] == ["issued", "Statements"]


@given(st.text(max_size=300), st.lists(st.sampled_from(["a", "statement", "ill", "0"]), max_size=3))
def test_the_pieces_are_the_text(text: str, met: list[str]):
    assert "".join(piece for piece, _ in marked(text, met)) == text


def test_a_very_long_run_of_letters_is_no_word():
    assert marked("x" * 100_000, ["x"]) == [("x" * 100_000, False)]
