"""Where a fact comes from and what depends on it, as picture, words and table."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.actors import Trio
from tests.pages.reading import Page, page_of
from tests.rest.client import Rest, seat, stored


def shown(client: Client, fact_id: str, direction: str = "provenance", **query: Any) -> Page:
    return page_of(client.get(f"/spaces/north/facts/{fact_id}/{direction}", {"scope": "shared", **query}))


def picture(page: Page) -> list[tuple[str, str]]:
    """The boxes of the picture in the order of the keyboard: what each says to a screen reader, and where it leads."""
    (svg,) = re.findall(r'<svg class="fig fig-own".*?</svg>', page.html, re.DOTALL)
    return [(label, href) for href, label in re.findall(r'<a href="([^"]*)"\s+aria-label="([^"]*)"', svg)]


@pytest.fixture
def chain(rest: Rest) -> Rest:
    """A fact with a weak parent, a missing one, one that it superseded, and a rule."""
    assert rest.post("rules", {"@id": "rule:sum", "name": "Add up", "version": 2}).status_code == 201
    rest.imported(
        stored("deep", confidence=0.2), stored("weak", confidence=0.5, derivedFrom=["fact:deep"]), stored("old"),
        stored(
            "root", statement="the root", confidence=0.8, derivedFrom=["fact:weak", "fact:never"],
            supersedes="fact:old", inference="rule:sum",
        ),
    )  # fmt: skip
    return rest


def test_every_node_is_a_link_in_the_order_of_the_walk(teammate: Client, chain: Rest):
    page = shown(teammate, "fact:root")

    assert [label for label, _ in picture(page)] == [
        "the root, this fact, 0.8000 usable",
        "this is weak, fact, https source, derived from, 0.5000 uncertain",
        "fact:never, missing, derived from",
        "this is old, superseded 1 Jan 2026, supersedes, 0.9000 usable",
        "rule: Add up, inference, version 2, rule",
        "this is deep, fact, https source, derived from, 0.2000 stale, weakest link",
    ]
    for _, href in picture(page):
        href = href.replace("&amp;", "&")
        if href.startswith("#"):
            assert f'id="{href[1:]}"' in page.html
        else:
            assert teammate.get(href).status_code == 200


def test_the_table_says_the_same_as_the_picture(teammate: Client, chain: Rest):
    rows = shown(teammate, "fact:root").rows[1:]

    assert [row[:3] for row in rows] == [
        ["0", "the root", "this fact"],
        ["1", "this is weak", "derived from"],
        ["1", "fact:never missing", "derived from"],
        ["1", "this is old superseded", "supersedes"],
        ["1", "Add up version 2", "rule"],
        ["2", "this is deep weakest link", "derived from"],
    ]
    assert [row[4] for row in rows] == [
        "0.8000 usable", "0.5000 uncertain", "", "0.9000 usable", "", "0.2000 stale",
    ]  # fmt: skip


def test_the_weakest_link_and_the_products_are_said_in_words(teammate: Client, chain: Rest):
    text = shown(teammate, "fact:root").text

    assert "Weakest link: this is deep, 0.2000 and stale." in text
    assert "1 of what it names is missing here" in text
    assert "0.0800 is the product along this is weak, this is deep" in text


def test_only_the_way_to_the_weakest_link_is_drawn_weak(teammate: Client, chain: Rest):
    html = shown(teammate, "fact:root").html

    assert html.count('class="link link-weak"') == 2
    assert html.count('class="node node-weak"') == 1
    assert html.count('class="node node-root"') == 1
    assert html.count('class="node node-gone"') == 1


def test_what_depends_on_a_fact_is_a_page_of_its_own(teammate: Client, chain: Rest):
    page = shown(teammate, "fact:deep", "derived")

    assert [row[:3] for row in page.rows[1:]] == [
        ["0", "this is deep", "this fact"], ["1", "this is weak", "derived from it"],
        ["2", "the root", "derived from it"],
    ]  # fmt: skip
    assert "/spaces/north/facts/fact:deep/provenance" in page.links["Where it comes from"]
    assert "Nothing depends on it" in shown(teammate, "fact:root", "derived").text
    assert "Nothing stands behind it" in shown(teammate, "fact:deep").text


def test_how_far_to_walk_can_be_chosen_and_a_cut_is_said(teammate: Client, chain: Rest):
    near = shown(teammate, "fact:root", max_depth="1")

    assert "this is deep" not in near.text
    assert "More lies beyond the last step that is shown." in near.text
    assert "More lies beyond" not in shown(teammate, "fact:root", max_depth="2").text
    assert shown(teammate, "fact:root", max_depth="65").status == 400
    assert shown(teammate, "fact:root", max_depth="no").status == 400


def test_the_past_is_walked_as_it_was_and_the_choice_is_kept_by_every_link(teammate: Client, rest: Rest):
    rest.imported(
        stored("root", derivedFrom=["fact:late"]), stored("late", recordedAt="2026-03-01T00:00:00Z"),
    )  # fmt: skip

    page = shown(teammate, "fact:root", as_of="2026-02-01T00:00:00Z", max_depth="2")

    assert page.rows[2][1] == "fact:late missing"
    assert "as_of=2026-02-01T00%3A00%3A00Z" in page.links["this is root"]
    assert page.fields["as_of"] == "2026-02-01T00:00:00Z"
    assert "as_of=2026-02-01" in page.links["What depends on it"]
    assert "late missing" not in shown(teammate, "fact:root").text


def test_a_circle_is_said_and_drawn_once(teammate: Client, rest: Rest):
    rest.imported(stored("a", derivedFrom=["fact:b"]), stored("b", derivedFrom=["fact:a", "fact:b"]))

    page = shown(teammate, "fact:a")

    assert "The facts lead back to one another in a circle." in page.text
    assert len(picture(page)) == 2
    assert page.html.count('class="link"') == 3


def test_a_hundred_nodes_are_drawn_or_two_hundred_on_demand_and_more_are_said(teammate: Client, rest: Rest):
    names = [f"n{n:03}" for n in range(300)]
    rest.imported(
        *(stored(name, statement=f"{name} " + "and a statement that goes on for a while " * 4) for name in names),
        stored("root", derivedFrom=[f"fact:{name}" for name in names]),
    )

    for page, most in ((shown(teammate, "fact:root"), 100), (shown(teammate, "fact:root", most="200"), 200)):
        assert len(picture(page)) == most
        assert len(page.rows) == most + 1
        assert f"There is more than is shown. The nearest {most} are here." in page.text
        assert "missing" not in page.text
        assert len(page.html) < 2_000 * most
    assert shown(teammate, "fact:root", most="201").status == 400


def test_what_is_written_in_a_fact_is_shown_as_the_characters_it_is_made_of(teammate: Client, rest: Rest):
    hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
    rest.imported(
        stored("root", statement=hostile, derivedFrom=["fact:a"], inference="<b>x</b>"), stored("a", statement=hostile)
    )

    for page in (shown(teammate, "fact:root"), shown(teammate, "fact:a", "derived")):
        assert "img" not in page.tags
        assert "<script>alert" not in page.html
        assert page.text.count(hostile) >= 2


@pytest.fixture
def with_phi(trio: Trio) -> Rest:
    """root ← middle (PHI of patient:1, for care) ← source."""
    rest = seat(trio.space)
    given = {"id": "consent:c", "subject": "patient:1", "purposes": ["care"], "granted_by": "human://patient"}
    assert rest.post("consents", given).status_code == 201
    phi = {"classification": "PHI", "consent": "consent:c", "subject": "patient:1"}
    rest.imported(
        stored("source"), stored("middle", derivedFrom=["fact:source"], confidence=0.1, **phi),
        stored("root", derivedFrom=["fact:middle", "fact:never"]),
    )  # fmt: skip
    return rest


def test_withheld_phi_in_a_chain_looks_missing_until_a_purpose_is_stated(teammate: Client, with_phi: Rest):
    without = shown(teammate, "fact:root")
    withheld, missing = without.rows[2:4]
    assert [cell.replace("fact:middle", "fact:never") for cell in withheld] == missing
    assert "this is source" not in without.text
    assert "2 of what it names are missing here" in without.text
    assert page_of(teammate.get("/spaces/north/facts/fact:source/derived", {"scope": "shared"})).rows == []

    given = shown(teammate, "fact:root", purpose="care")
    assert [row[1] for row in given.rows[1:]] == [
        "this is root", "this is middle weakest link", "fact:never missing", "this is source",
    ]  # fmt: skip


def test_a_role_that_governs_sees_it_blacked_with_the_reason_and_nothing_of_it(owner: Client, with_phi: Rest):
    page = shown(owner, "fact:root")

    assert page.rows[2][1] == "redacted, PHI: no purpose stated"
    assert page.html.count('class="blocked"') == 1
    assert "redacted, PHI: no purpose stated, derived from" in [label for label, _ in picture(page)]
    assert "fact:middle" not in page.html
    assert "this is middle" not in page.html
    assert "this is source" not in page.html


def test_the_page_of_a_fact_shows_what_is_near_it_and_leads_to_the_rest(teammate: Client, chain: Rest):
    root, deep = (
        page_of(teammate.get(f"/spaces/north/facts/{fact_id}", {"scope": "shared"}))
        for fact_id in ("fact:root", "fact:deep")
    )

    assert len(picture(root)) == 6
    assert page_of(teammate.get(root.links["The whole of it, as picture and table"])).rows == root.rows
    assert "No fact that you may see was derived from this one." in root.text
    assert "These were derived from it, and from each other." in deep.text
    assert deep.links["this is weak"].startswith("/spaces/north/facts/fact:weak")
    assert page_of(teammate.get(deep.links["As picture and table"])).status == 200


def test_a_fact_that_is_not_there_has_no_provenance(teammate: Client, stranger: Client, chain: Rest):
    assert shown(teammate, "fact:none").status == 404
    assert shown(teammate, "fact:none", "derived").status == 404
    assert shown(stranger, "fact:root").status == 404
