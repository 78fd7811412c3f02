"""Import of memory folders: ids and times are kept, the order of lines is free, a second time changes nothing."""

from typing import Any

import pytest

from memory.facts import importing
from memory.facts.models import Fact
from spaces.databases.entering import entered
from tests.actors import make_scope
from tests.rest.client import Rest, live, seat, stored


def errors(answer: Any) -> list[tuple[int, str | None]]:
    assert answer.status_code == 200, answer.content
    return [(error["line"], error["field"]) for error in answer.json()["errors"]]


def test_an_imported_fact_keeps_its_id_and_its_times_and_is_marked(rest: Rest, north: Any):
    rest.imported(stored("a", recordedAt="2020-02-29T12:00:00.123456Z", validFrom="2019-01-01T00:00:00Z"))

    read = rest.get("facts/fact:a").json()
    assert (read["recordedAt"], read["validFrom"]) == ("2020-02-29T12:00:00.123456Z", "2019-01-01T00:00:00Z")
    with entered(north):
        assert Fact.objects.get(id="fact:a").imported


@pytest.mark.parametrize("batch", [1, 2, 2_000])
def test_the_order_of_lines_does_not_matter_to_what_supersedes_what(
    rest: Rest, monkeypatch: pytest.MonkeyPatch, batch: int
):
    monkeypatch.setattr(importing, "BATCH", batch)
    rest.imported(
        stored("c", supersedes="fact:b", recordedAt="2026-03-01T00:00:00Z", derivedFrom=["fact:a", "fact:b"]),
        stored("a"),
        stored("b", supersedes="fact:a", recordedAt="2026-02-01T00:00:00Z"),
    )
    assert rest.ids() == ["fact:c"]
    assert rest.ids(as_of="2026-02-15") == ["fact:b"]
    assert rest.ids(as_of="2026-01-15") == ["fact:a"]


def test_a_superseder_waits_for_what_it_supersedes(rest: Rest):
    rest.imported(stored("new", supersedes="fact:old", recordedAt="2026-02-01T00:00:00Z"))
    assert rest.get("facts/fact:new").json()["supersedes"] == "fact:old"

    rest.imported(stored("old"))
    assert rest.ids() == ["fact:new"]
    assert rest.get("facts/fact:old").json()["superseded_by"] == "fact:new"


def test_missing_parents_are_kept(rest: Rest):
    rest.imported(stored("child", derivedFrom=["fact:nowhere", "fact:gone"]))
    assert rest.get("facts/fact:child").json()["derivedFrom"] == ["fact:nowhere", "fact:gone"]


def test_a_second_import_of_the_same_changes_nothing(rest: Rest, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importing, "BATCH", 2)
    folder = [
        stored("a", **{"kndl:file": "a.fact.json", "x": [1.0, {"y": None}]}),
        stored("b", supersedes="fact:a", negated=False, **{"@context": "../context/v1.jsonld"}),
        stored("c", recordedAt=None, tenant="shared"),
    ]
    assert rest.imported(*folder) == {"imported": 3, "unchanged": 0, "errors": []}
    before = rest.exported()

    assert rest.imported(*reversed(folder)) == {"imported": 0, "unchanged": 3, "errors": []}
    assert rest.exported() == before


def test_our_own_export_imports_without_a_change_and_into_another_scope_as_it_is(rest: Rest, north: Any):
    parent = rest.written()["@id"]
    rest.written(subject="c:1", predicate="p", object={"k": 1.0}, derivedFrom=[parent], **{"x:own": True})
    export = rest.exported()

    assert rest.imported(*export) == {"imported": 0, "unchanged": 2, "errors": []}
    other = seat(north, scope=make_scope(north, "annex"))
    assert other.imported(*export)["imported"] == 2
    assert other.exported() == export


@pytest.mark.parametrize(
    ("first", "second"), [(1, True), (0, False), ([1], [True]), ({"k": 0}, {"k": False}), (1, 2), ("1", 1), (None, 0)]
)
def test_another_fact_under_a_taken_id_is_reported_and_not_taken(rest: Rest, first: Any, second: Any):
    rest.imported(stored("a") | {"object": first})
    answer = rest.lines("facts/import", [stored("a") | {"object": second}])

    assert errors(answer) == [(1, "@id")]
    assert rest.get("facts/fact:a").json()["object"] == first


def test_an_id_twice_in_one_import_is_one_fact_or_an_error(rest: Rest):
    answer = rest.lines("facts/import", [stored("a"), stored("a"), stored("a", confidence=0.1)])
    assert (answer.json()["imported"], answer.json()["unchanged"], errors(answer)) == (1, 1, [(3, "@id")])


def test_of_two_that_supersede_one_fact_the_first_is_taken(rest: Rest):
    answer = rest.lines(
        "facts/import", [stored("b", supersedes="fact:a"), stored("c", supersedes="fact:a"), stored("a")]
    )
    assert (answer.json()["imported"], errors(answer)) == (2, [(2, "supersedes")])
    assert "fact:b" in answer.json()["errors"][0]["detail"]


def test_a_bad_line_is_reported_by_number_with_its_id_field_and_file(rest: Rest):
    lines = [
        stored("good"),
        stored("bad", confidence=2, **{"kndl:file": "facts/bad.fact.json"}),
        b'{"@id": "fact:cut", "statement": ',
        b'"text"',
        b"null",
        b'{"@id": "fact:twice", "@id": "fact:twice"}',
        stored("nan", x=1) | {"@id": "no-fact"},
        stored("local", recordedAt="2026-01-01T00:00:00"),
        live(),
        stored("way-out", **{"kndl:file": "../../etc/passwd"}),
        stored("over", validUntil="2025-01-01"),
        b"x" * 2_000_000,
        stored("good-too"),
    ]
    answer = rest.lines("facts/import", lines)

    assert errors(answer) == [
        (2, "confidence"), (3, None), (4, None), (5, None), (6, "@id"), (7, "@id"), (8, "recordedAt"), (9, "@id"),
        (10, "kndl:file"), (11, "validUntil"), (12, None),
    ]  # fmt: skip
    found = {error["line"]: error for error in answer.json()["errors"]}
    assert (found[2]["id"], found[2]["file"]) == ("fact:bad", "facts/bad.fact.json")
    assert found[10]["id"] == "fact:way-out"
    assert answer.json()["imported"] == 2
    assert rest.ids() == ["fact:good", "fact:good-too"]


@pytest.mark.parametrize(
    "file", ["/a.fact.json", "a/b.fact.json", "facts/../a.fact.json", "a.json", "facts/.fact.json", ".a.fact.json",
             "..fact.json", "a\\b.fact.json", "a\n.fact.json", "x" * 300 + ".fact.json", 7, None, ""],
)  # fmt: skip
def test_a_file_name_that_leads_elsewhere_is_refused(rest: Rest, file: Any):
    assert errors(rest.lines("facts/import", [stored("a") | {"kndl:file": file}])) == [(1, "kndl:file")]


def test_facts_of_another_tenant_are_refused_unless_taken_as_the_scopes_own(rest: Rest):
    theirs = stored("a", tenant="acme")
    answer = rest.lines("facts/import", [theirs])
    assert errors(answer) == [(1, "tenant")]
    assert rest.listed() == []

    assert rest.imported(theirs, as_scope="true")["imported"] == 1
    assert rest.listed()[0]["scope"] == "shared"
    assert rest.exported()[0]["tenant"] == "acme"


def test_a_document_without_a_time_of_its_own_was_recorded_now(rest: Rest):
    rest.imported(stored("a", recordedAt=None, validFrom=None))
    read = rest.get("facts/fact:a").json()
    assert "recordedAt" not in rest.exported()[0]
    assert rest.ids(as_of="2026-01-02") == []
    assert "recordedAt" not in read or read["recordedAt"] > "2026-01-02"


def test_an_import_by_somebody_else_stays_in_their_scope(rest: Rest, north: Any):
    other = seat(north, scope=make_scope(north, "annex"))
    rest.imported(stored("a"))
    other.imported(stored("a", confidence=0.1))

    assert rest.listed()[0]["confidence"] == 0.9
    assert other.listed()[0]["confidence"] == 0.1


def test_thousands_of_lines_are_taken_in_one_request(rest: Rest):
    lines = (stored(f"{number}", subject=f"c:{number % 50}") for number in range(4_500))
    answer = rest.lines("facts/import", lines).json()
    assert (answer["imported"], answer["errors"]) == (4_500, [])
