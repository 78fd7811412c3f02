"""Finding files by name and content."""

from pathlib import Path

import pytest
from django.test import Client

from library.reading import etag_of, find_file
from library.words.marking import Part, marked, part_of_name
from library.words.searching import search_files
from library.writing import delete
from spaces.access import SYSTEM_CALLER
from tests.library.filling import fill, pdf, png


@pytest.fixture(autouse=True)
def _library(db: None, library: Path) -> None:
    """Each test has a Library of its own."""


def found(text: str, **more: int) -> list[str]:
    return [hit.file.path for hit in search_files(text, **more).hits]


def test_a_file_is_found_by_the_words_in_it_in_whatever_form():
    fill({"handbook/day.md": "Each clinic closes its ledger on its own day.", "b.txt": "nothing of it"}, read=True)
    assert found("closing ledgers") == found("LEDGER closed") == ["handbook/day.md"]
    assert found("closing invoices") == []


def test_a_file_is_found_by_a_part_of_its_path():
    fill({"contracts/harrow-street.pdf": pdf(""), "policies/company-policy.png": png(), "x_y.md": "z", "xay.md": "z"})
    assert found("harrow") == found("contract") == found("street harrows") == ["contracts/harrow-street.pdf"]
    assert found("policy") == ["policies/company-policy.png"]
    assert found("x_y") == ["x_y.md"]
    assert found("100%") == []


def test_a_name_counts_for_more_than_the_text_and_more_often_for_more_than_once():
    fill(
        {
            "once.md": "one dunning letter among many other words that are said here",
            "often.md": "dunning dunning dunning",
            "dunning.md": "what to do",
        },
        read=True,
    )
    assert found("dunning") == ["dunning.md", "often.md", "once.md"]


def test_what_was_deleted_or_not_read_is_not_found_by_its_text():
    fill({"a.md": "ledger"}, read=True)
    fill({"b.md": "ledger again"})
    assert found("ledger") == ["a.md"]
    delete(SYSTEM_CALLER, "a.md", base=etag_of(find_file("a.md")))
    assert found("ledger") == []


def test_the_text_around_the_first_hit_is_shown_with_its_words_marked():
    fill({"a.md": f"{'filler ' * 200}where the closing day is agreed {'filler ' * 200}"}, read=True)
    hit = search_files("closed days").hits[0]
    assert "where the closing day is agreed" in hit.around
    assert len(hit.around) <= 240
    assert [part.text for part in hit.parts if part.is_hit] == ["closing", "day"]


def test_pages_follow_each_other():
    fill({f"{number}.md": f"ledger {number}" for number in range(5)}, read=True)
    pages = [search_files("ledger", page=page, limit=2) for page in (1, 2, 3)]
    assert [hit.file.path for page in pages for hit in page.hits] == [f"{number}.md" for number in range(5)]
    assert [page.more for page in pages] == [True, True, False]


@pytest.mark.parametrize("text", ["!!!", "'", "\\", "%", "&|!():*", "a" * 500, "中文", "' or 1=1 --"])
def test_whatever_is_asked_is_a_question_only(text: str):
    fill({"a.md": "中文文档"}, read=True)
    assert found(text) == (["a.md"] if text == "中文" else [])


def test_words_are_marked_by_what_they_stem_from():
    assert marked("It closed. Closing!", {"close"}) == [
        Part("It ", is_hit=False),
        Part("closed", is_hit=True),
        Part(". ", is_hit=False),
        Part("Closing", is_hit=True),
        Part("!", is_hit=False),
    ]
    assert part_of_name("Policies", "polici") == "polic"
    assert part_of_name("ran", "run") == "ran"


def test_the_search_over_rest_says_what_was_found(api: Client):
    fill({"handbook/day.md": "closing day", "scan.pdf": pdf("")}, read=True)
    answer = api.get("/api/v1/library/search", {"q": "closing"})
    assert (answer.status_code, answer["X-Library-Revision"]) == (200, "1")
    file = answer.json()["files"][0]
    assert (file["path"], file["around"], file["size"]) == ("handbook/day.md", "closing day", 11)
    assert api.get("/api/v1/library/search", {"q": ""}).status_code == 400
    assert api.get("/api/v1/library/search", {"q": "x", "limit": "101"}).status_code == 400
