"""Searching facts by their words."""

from typing import Any

import pytest

from tests.actors import make_scope
from tests.rest.client import Rest, seat, stored


@pytest.fixture
def library(rest: Rest) -> Rest:
    rest.imported(
        stored("cafe", statement="The café opens early", subject="place:7"),
        stored("runs", statement="Nightly backups are running", predicate="schedule"),
        stored("tokyo", statement="東京都の天気は晴れです"),
        stored("odd", statement="it's a 'quoted' \\ back\\slash & (brackets) | !bang:* <->"),
    )
    return rest


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cafe", ["fact:cafe"]), ("CAFÉ", ["fact:cafe"]), ("cafe\u0301", ["fact:cafe"]), ("opened", ["fact:cafe"]),
        ("run backup", ["fact:runs"]), ("schedules", ["fact:runs"]), ("place 7", ["fact:cafe"]),
        ("東京", ["fact:tokyo"]), ("天気", ["fact:tokyo"]), ("京都", ["fact:tokyo"]), ("大阪", []),
        ("cafe backups", []), ("caf", []), ("quoted", ["fact:odd"]), ("'quoted'", ["fact:odd"]),
        ("& | ! <-> :*", []), ('" NEAR( * OR', []), ("\\", []), ("' or 1=1 --", []), ("🎈", []), ("\u200b", []),
        ("slash & bang:*", ["fact:odd"]),
    ],
)  # fmt: skip
def test_all_the_words_must_be_there_in_any_form(library: Rest, text: str, found: list[str]):
    assert library.ids(text=text) == found


def test_words_and_other_filters_narrow_together(library: Rest):
    assert library.ids(text="cafe", subject="place:7") == ["fact:cafe"]
    assert library.ids(text="cafe", subject="place:8") == []
    assert library.ids(text="cafe", as_of="2025-01-01") == []


def test_objects_sources_and_own_keys_are_not_searched(rest: Rest):
    rest.imported(stored("a", object="hidden", source="https://hidden.example/", **{"x:note": "hidden"}))
    assert rest.ids(text="hidden") == []


def test_a_search_finds_nothing_of_other_scopes(library: Rest, north: Any):
    annex = make_scope(north, "annex")
    other = seat(north, scope=annex)

    assert other.ids(text="cafe") == []
    other.written(statement=f"{annex.pk} cafe")
    assert len(other.ids(text="cafe")) == 1
    assert library.ids(text="cafe") == ["fact:cafe"]


def test_the_longest_statement_and_the_longest_word_can_be_searched(rest: Rest):
    rest.imported(stored("long", statement=" ".join(f"word{number}" for number in range(450))))
    rest.imported(stored("word", statement="x" * 4000))

    assert rest.ids(text="word449 word0") == ["fact:long"]
    assert rest.ids(text="x" * 1000) == ["fact:word"]
