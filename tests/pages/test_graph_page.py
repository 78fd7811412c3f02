"""The graph of a memory: what is drawn, what is left out, and the same as a table."""

import re
from typing import Any

import pytest
from django.test import Client

from common.times import now
from memory.layers.models import NodeStrength
from spaces.databases.entering import entered
from tests.actors import Trio
from tests.layers.remembered import Remembered
from tests.pages.orchard import statements_of
from tests.pages.reading import Page, page_of
from tests.phi.patients import consent, phi
from tests.rest.client import Rest


@pytest.fixture
def remembered(trio: Trio) -> Remembered:
    """Memories of the Space's shared scope."""
    return Remembered(trio.space, trio.space.scopes.get().pk)


@pytest.fixture
def pottery(remembered: Remembered) -> dict[str, Any]:
    """A session, three fragments, two events, two concepts."""
    session = remembered.session("a", "b", "c", client_id="pottery")
    kiln, bowls, shop = (
        remembered.fragment(text, (session, place, place))
        for place, text in enumerate(("The kiln was fired", "Wilma glazed the bowls", "The shop opens on Monday"))
    )
    firing = remembered.event("Firing day", "All bowls were fired", [kiln, bowls], (session, 0, 1))
    opening = remembered.event("Opening", "The shop opened", [shop])
    wilma = remembered.concept("Wilma", [bowls, firing, opening], type="Person")
    remembered.link((kiln, "next", bowls))
    return {"kiln": kiln, "bowls": bowls, "shop": shop, "firing": firing, "opening": opening, "wilma": wilma}


def shown(client: Client, node: Any = None, scope: str = "shared", **query: Any) -> Page:
    path = "/spaces/north/graph" if node is None else f"/spaces/north/memory/{node}/graph"
    return page_of(client.get(path, {"scope": scope, **query}))


def boxes(page: Page) -> set[str]:
    """What the boxes of the picture say to a screen reader, up to the first comma."""
    return {
        label.partition(",")[0]
        for label in re.findall(r'<a href="[^"]+"\s+data-layer="\d"\s+aria-label="([^"]+)"', page.html)
    }


def test_two_hops_are_drawn_with_the_sessions_they_rest_on(teammate: Client, pottery: dict[str, Any]):
    page = shown(teammate, pottery["firing"])
    assert boxes(page) == {
        "Firing day", "The kiln was fired", "Wilma glazed the bowls", "Wilma", "Opening", "pottery",
    }  # fmt: skip
    assert page.html.count('aria-current="true"') >= 1
    assert ">part of</text>" in page.html
    assert ">mentions</text>" in page.html
    assert ">rests on</text>" in page.html


def test_the_table_says_the_same(teammate: Client, pottery: dict[str, Any]):
    page = shown(teammate, pottery["firing"])
    rows = {row[0].removesuffix("centre"): row[1] for row in page.rows[1:] if len(row) > 1}
    assert set(rows) == boxes(page)
    assert (rows["Firing day"], rows["Wilma"], rows["Opening"]) == ("0", "1", "2")


def test_one_hop_is_less(teammate: Client, pottery: dict[str, Any]):
    assert "Opening" not in boxes(shown(teammate, pottery["firing"], hops="1"))


@pytest.mark.parametrize(
    ("query", "gone"),
    [
        ({"layers": "23"}, {"The kiln was fired", "Wilma glazed the bowls", "pottery"}),
        ({"layers": "123"}, {"pottery"}),
        ({"links": "part_of"}, {"Wilma", "Opening"}),
    ],
)
def test_what_is_drawn_can_be_chosen(teammate: Client, pottery: dict[str, Any], query, gone):
    assert boxes(shown(teammate, pottery["firing"])) - boxes(shown(teammate, pottery["firing"], **query)) == gone


def test_no_more_is_drawn_than_asked_for_and_more_on_demand(teammate: Client, remembered: Remembered):
    fragments = [remembered.fragment(f"Note {number} of the garden") for number in range(30)]
    event = remembered.event("Garden day", "Much was noted", fragments)
    page = shown(teammate, event, most="10")
    assert len(boxes(page)) == 10
    assert "there is more than is drawn" in page.text
    more = page_of(teammate.get(page.links["draw up to 200"]))
    assert len(boxes(more)) == 31
    assert "there is more" not in more.text


def test_without_a_memory_it_begins_at_the_newest_event(teammate: Client, pottery: dict[str, Any]):
    page = shown(teammate)
    assert "begins at the newest event" in page.text
    assert "Opening" in boxes(page)
    assert "Firing day" in boxes(shown(teammate, id=pottery["firing"]))


def test_nothing_yet_says_how_it_fills(teammate: Client):
    assert "No memories in this scope yet" in shown(teammate).text


def test_what_is_archived_is_not_drawn(teammate: Client, pottery: dict[str, Any], trio: Trio):
    with entered(trio.space):
        NodeStrength.objects.filter(pk=pottery["bowls"]).update(archived_at=now())
    assert "Wilma glazed the bowls" not in boxes(shown(teammate, pottery["firing"]))


def test_phi_that_is_withheld_is_not_drawn_nor_reached_through(
    teammate: Client, rest: Rest, remembered: Remembered, pottery: dict[str, Any]
):
    consent(rest)
    assert rest.post("facts", phi(**{"@id": "fact:rash"}), Kndl_Purpose="treatment").status_code == 201
    node = remembered.node(1, "Fragment", "phi 1", "", phi_ref="fact:rash", classification="PHI")
    hidden = remembered.concept("Behind it", [node])
    remembered.link((node, "part_of", pottery["firing"]))
    page = shown(teammate, pottery["firing"])
    assert not {"phi 1", "has a rash", "Behind it"} & boxes(page)
    assert "there is more" not in page.text
    assert {"has a rash", "Behind it"} <= boxes(shown(teammate, pottery["firing"], purpose="treatment"))
    assert shown(teammate, hidden).status == 200


@pytest.mark.parametrize("query", [{"hops": "3"}, {"most": "500"}, {"layers": "9"}])
def test_what_cannot_be_drawn_is_named(teammate: Client, pottery: dict[str, Any], query):
    page = shown(teammate, pottery["firing"], **query)
    assert page.status == 400
    assert f"This can’t be asked. {next(iter(query))}" in page.text


def test_a_page_asks_the_databases_no_more_for_many_boxes_than_for_few(
    teammate: Client, remembered: Remembered, trio: Trio
):
    def asked(count: int) -> int:
        session = remembered.session(*(f"line {n}" for n in range(count)), client_id=f"talk {count}")
        parts = [remembered.fragment(f"Note {count} {n}", (session, n, n)) for n in range(count)]
        event = remembered.event(f"Day {count}", "It was", parts)
        remembered.concept(f"Topic {count}", [event, *parts])
        return statements_of(trio.space, lambda: shown(teammate, event))

    asked(3)
    assert asked(2) == asked(15)
