"""Pages of facts: every fact once, in order, whatever is written between two pages."""

from typing import Any

import pytest

from common import cursor
from tests.actors import make_scope
from tests.rest.client import Rest, live, seat, stored

ORDERS = ["recorded", "confidence", "subject"]


def pages(rest: Rest, between: Any = None, **query: Any) -> list[dict[str, Any]]:
    """All rows, page by page; `between` is called after each page."""
    rows, after = [], None
    for _ in range(50):
        answer = rest.get("facts", cursor=after, **query)
        assert answer.status_code == 200, answer.content
        rows += answer.json()["facts"]
        after = answer.json()["next"]
        if after is None:
            return rows
        if between:
            between()
    raise AssertionError("the pages have no end")


@pytest.fixture
def many(rest: Rest) -> Rest:
    """Twelve facts, with ties in everything but the id."""
    rest.imported(
        *(
            stored(
                f"{number:02}", subject=f"s{number % 3}", predicate="p" if number % 2 else None,
                confidence=(0.5, 0.9)[number % 2], decay="0.5/30d" if number % 4 else None,
                recordedAt=f"2026-01-0{1 + number % 3}T00:00:00Z",
            )
            for number in range(12)
        )
    )  # fmt: skip
    return rest


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limit", [1, 5, 11, 12])
def test_the_pages_together_are_the_list(many: Rest, order: str, limit: int):
    whole = many.get("facts", order=order, as_of="2026-02-01").json()
    assert whole["next"] is None
    assert pages(many, order=order, limit=limit, as_of="2026-02-01") == whole["facts"]


@pytest.mark.parametrize("order", ORDERS)
def test_writes_between_pages_neither_repeat_a_fact_nor_hide_one(many: Rest, order: str):
    expected = many.ids(order=order)

    def write() -> None:
        many.written(subject="s0", confidence=0.9)
        many.written(subject="a", confidence=0.1)
        many.post("facts/fact:05/supersede", live())
        many.post("facts/fact:00/supersede", live())

    assert [row["@id"] for row in pages(many, write, order=order, limit=2)] == expected


def test_the_confidence_of_later_pages_is_judged_at_the_same_instant(rest: Rest):
    rest.imported(*(stored(str(number), decay="0.5/1h", validFrom="2026-01-01") for number in range(4)))
    rows = pages(rest, rest.written, order="confidence", limit=1)
    assert len({row["effective_confidence"] for row in rows}) == 1


@pytest.mark.parametrize("order", ORDERS)
def test_pages_over_several_scopes_hold_the_same_id_of_each(north: Any, order: str):
    annex = make_scope(north, "annex")
    for scope in (annex, None):
        seat(north, scope=scope).imported(*(stored(str(number)) for number in range(5)))
    reader = seat(north, verbs=("facts:read", "cross_tenant"))

    rows = pages(reader, scope="*", order=order, limit=3)
    assert sorted((row["@id"], row["scope"]) for row in rows) == sorted(
        (f"fact:{number}", scope) for number in range(5) for scope in ("annex", "shared")
    )


def test_filters_hold_over_all_pages(many: Rest):
    rows = pages(many, subject="s1", band="usable", as_of="2026-01-03", limit=1)
    assert [row["@id"] for row in rows] == many.ids(subject="s1", band="usable", as_of="2026-01-03")
    assert len(rows) > 1
    assert all(row["subject"] == "s1" and row["band"] == "usable" for row in rows)


def test_the_size_of_the_page_may_change_on_the_way(many: Rest):
    first = many.get("facts", limit=2).json()
    rest = many.get("facts", limit=100, cursor=first["next"]).json()
    assert first["count"] + rest["count"] == 12


@pytest.mark.parametrize(
    "other",
    [
        {"subject": "s1"}, {"order": "subject"}, {"text": "this"}, {"include_expired": "true"},
        {"as_of": "2026-02-02"}, {"valid_at": "2026-02-02"}, {"scope": "shared"}, {"min_confidence": "0.1"},
    ],
)  # fmt: skip
def test_a_cursor_of_another_query_is_refused(many: Rest, other: dict[str, str]):
    after = many.get("facts", limit=2, as_of="2026-02-01").json()["next"]
    answer = many.get("facts", **({"limit": 2, "as_of": "2026-02-01", "cursor": after} | other))
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "cursor")


def forged(position: dict[str, Any], key: list[Any]) -> str:
    return cursor.encode(position | {"key": key})


@pytest.mark.parametrize(
    "key",
    [
        [], ["x"], [10**400, "2026-01-01T00:00:00Z", "fact:1", 1], [0.5, "soon", "fact:1", 1],
        [True, "2026-01-01", "", 1],
        [0.5, "2026-01-01", "fact:1", 10**30], [0.5, "2026-01-01", None, 1], [{}, [], "", 1], [-1, "2026-01-01", "", 1],
    ],
)  # fmt: skip
def test_a_cursor_that_somebody_made_up_is_refused_and_breaks_nothing(many: Rest, key: list[Any]):
    after = many.get("facts", limit=2, order="confidence").json()["next"]
    position = cursor.decode(after, expect={"order", "as_of", "valid_at", "of", "key"})
    answer = many.get("facts", limit=2, order="confidence", cursor=forged(position, key))
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "cursor")


def test_a_cursor_never_leads_out_of_the_scopes_of_the_reader(north: Any, many: Rest):
    other = seat(north, scope=make_scope(north, "annex"))
    other.imported(stored("00"), stored("mine"))
    after = many.get("facts", limit=2).json()["next"]
    assert {row["scope"] for row in other.listed(cursor=after)} == {"annex"}
