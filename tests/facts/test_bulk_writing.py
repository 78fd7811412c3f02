"""Many live writes in one request: each line stands for itself."""

import json
from typing import Any

from tests.actors import make_scope
from tests.rest.client import Rest, live, seat, stored


def test_each_line_is_written_as_if_it_were_alone(rest: Rest):
    answer = rest.lines("facts/bulk", [live(subject="a"), live(subject="b", **{"@id": "fact:given"}), b"", live()])

    assert answer.status_code == 200
    assert answer.json() == {"imported": 3, "unchanged": 0, "errors": []}
    rows = rest.listed()
    assert "fact:given" in {row["@id"] for row in rows}
    assert all(row["validFrom"] == row["recordedAt"] for row in rows)


def test_a_line_may_name_facts_of_lines_before_it_but_not_after_it(rest: Rest):
    answer = rest.lines(
        "facts/bulk",
        [
            live(**{"@id": "fact:early"}, supersedes="fact:late"),
            live(**{"@id": "fact:late"}),
            live(**{"@id": "fact:newer"}, supersedes="fact:late"),
            live(derivedFrom=["fact:late", "fact:newer"]),
        ],
    ).json()

    assert answer["imported"] == 3
    assert [(error["line"], error["id"], error["field"]) for error in answer["errors"]] == [
        (1, "fact:early", "supersedes")
    ]


def test_a_refused_line_is_reported_by_its_number_and_stops_no_other(rest: Rest):
    rest.written(**{"@id": "fact:taken"})
    lines = [
        live(confidence="0.9"),
        live(),
        b"{not json",
        b"[1]",
        live(**{"@id": "fact:taken"}),
        live(tenant="elsewhere"),
        live(recordedAt="2026-01-01T00:00:00Z"),
        b'{"statement": "x", "statement": "y"}',
        live(derivedFrom=["fact:nowhere"]),
        live(classification="PHI", consent="consent:nowhere"),
        b'{"statement": "\xff"}',
        live(),
    ]
    answer = rest.lines("facts/bulk", lines).json()

    assert answer["imported"] == 2
    assert [(error["line"], error["field"]) for error in answer["errors"]] == [
        (1, "confidence"), (3, None), (4, None), (5, "@id"), (6, "tenant"), (7, "recordedAt"), (8, "statement"),
        (9, "derivedFrom"), (10, "consent"), (11, None),
    ]  # fmt: skip
    assert len(rest.listed()) == 3


def test_of_two_lines_that_supersede_one_fact_the_first_wins(rest: Rest):
    old = rest.written()["@id"]
    answer = rest.lines("facts/bulk", [live(supersedes=old, **{"@id": f"fact:{name}"}) for name in "ab"]).json()

    assert answer["imported"] == 1
    assert "fact:a" in answer["errors"][0]["detail"]


def test_a_bulk_write_goes_to_one_scope(rest: Rest, north: Any):
    make_scope(north, "annex")
    assert rest.lines("facts/bulk", [live()], scope="*").status_code == 400
    assert rest.lines("facts/bulk", [live()], scope="").status_code == 400
    assert rest.lines("facts/bulk", [live()], scope="annex").status_code == 404


def test_only_json_lines_are_taken(rest: Rest):
    answer = rest.post("facts/bulk", [live()])
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "Content-Type")


def test_empty_lines_write_nothing(rest: Rest):
    assert rest.lines("facts/bulk", [b"\n \r\n"]).json() == {"imported": 0, "unchanged": 0, "errors": []}


def test_an_overlong_line_is_refused_and_the_next_ones_are_read(rest: Rest):
    long = json.dumps(live(**{"x:pad": "y" * 3_000_000})).encode()
    answer = rest.lines("facts/bulk", [live(), long, live()]).json()

    assert answer["imported"] == 2
    assert [error["line"] for error in answer["errors"]] == [2]


def test_lines_may_end_as_they_do_on_any_system(rest: Rest):
    body = b"\r\n".join(json.dumps(live()).encode() for _ in range(3))
    assert rest.lines("facts/bulk", [body]).json()["imported"] == 3


def test_a_bulk_write_needs_no_right_to_import_and_an_import_does(north: Any):
    writer = seat(north, verbs=("facts:read", "facts:write"))
    assert writer.lines("facts/bulk", [live()]).status_code == 200
    assert writer.lines("facts/import", [stored("a")]).status_code == 403
