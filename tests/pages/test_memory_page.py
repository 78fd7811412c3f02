"""The page of memories: what it lists, what its buttons do, forgetting with its preview, and what fades next."""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from common.times import now
from memory.layers.models import DecayPass, NodeStrength
from spaces.databases.entering import entered
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_scope
from tests.layers.remembered import Remembered
from tests.pages.orchard import distilled, grown, said, statements_of, talk
from tests.pages.reading import Page, page_of
from tests.phi.patients import consent, phi
from tests.rest.client import Rest

MEMORY = "/spaces/north/memory"
HOSTILE = "<img src=x onerror=document.title='pwn'>"


@pytest.fixture
def remembered(trio: Trio) -> Remembered:
    """Memories of the Space's shared scope."""
    return Remembered(trio.space, trio.space.scopes.get().pk)


@pytest.fixture
def orchard(trio: Trio) -> str:
    """A conversation that was distilled; the id of its session."""
    session = talk(trio.space)
    distilled(trio.space, session)
    return str(session)


def shown(client: Client, scope: str = "shared", path: str = "", **query: Any) -> Page:
    return page_of(client.get(f"{MEMORY}{path}", {"scope": scope, **query}))


def titles(page: Page) -> list[str]:
    """What the rows of the list stand for, without their tags; the first cell is for picking."""
    return [re.sub(r" (archived|pinned)", "", row[1]) for row in page.rows[1:]]


def pressed(client: Client, act: str, *memories: int, **fields: Any) -> Page:
    """Press a button under the list with these memories picked."""
    given = {"scope": "shared", "act": act, "memory": list(memories), "list": "scope=shared"} | fields
    return page_of(client.post(f"{MEMORY}/acts", given, follow=True))


def archived(trio: Trio, node: int) -> bool:
    with entered(trio.space):
        return NodeStrength.objects.get(pk=node).archived_at is not None


def test_the_four_layers_stand_side_by_side(teammate: Client, orchard: str):
    page = shown(teammate)

    assert page.status == 200
    assert "Talk of the orchard" in page.links
    assert any("pear orchard" in words for words in page.links)
    for name in ("L0 Sessions", "L1 Fragments", "L2 Events", "L3 Concepts"):
        assert name in page.text
    assert "Tilda" in page.links
    assert f"/sessions/{orchard}" in page.links["Talk of the orchard"]


def test_lines_that_wait_to_be_distilled_are_counted(teammate: Client, trio: Trio):
    talk(trio.space)
    assert "4 lines of 1 wait to be distilled" in shown(teammate).text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"layer": "1", "text": "kiln"}, {"The kiln was fired"}),
        ({"layer": "1", "strength": "weak"}, {"Old glaze flakes"}),
        ({"layer": "1", "pinned": "true"}, {"Clay is kept wet"}),
        ({"layer": "1", "archived": "only"}, {"The shelf broke"}),
        ({"layer": "1", "formed": "7"}, {"The kiln was fired", "Clay is kept wet"}),
        ({"layer": "2"}, {"Firing day"}),
        ({"layer": "3", "type": "Person"}, {"Ottilie"}),
        ({"layer": "3", "type": "Topic"}, set()),
    ],
)
def test_a_filter_leaves_what_it_says(teammate: Client, remembered: Remembered, trio: Trio, query, words):
    session = remembered.session("The kiln was fired", client_id="pottery")
    kiln = remembered.fragment("The kiln was fired", (session, 0, 0))
    wet, glaze, shelf = (
        remembered.fragment(text) for text in ("Clay is kept wet", "Old glaze flakes", "The shelf broke")
    )
    remembered.event("Firing day", "The kiln was fired at noon", [kiln])
    remembered.concept("Ottilie", [kiln], type="Person")
    with entered(trio.space):
        NodeStrength.objects.filter(pk=wet).update(pinned=True)
        NodeStrength.objects.filter(pk=shelf).update(archived_at=now())
    grown(trio.space, glaze, 40)
    grown(trio.space, shelf, 40)

    page = shown(teammate, **query)

    assert set(titles(page)) == words


def test_memories_of_one_session_alone(teammate: Client, remembered: Remembered):
    boats, sheds = remembered.session("a", client_id="boats"), remembered.session("b", client_id="sheds")
    remembered.fragment("The boat leaks", (boats, 0, 0))
    remembered.fragment("The shed leans", (sheds, 0, 0))
    page = shown(teammate, layer="1", session=str(boats.pk))
    assert titles(page) == ["The boat leaks"]
    assert any(chip.startswith("session ") for chip in page.links)


@pytest.mark.parametrize(
    ("query", "field"), [({"layer": "9"}, "layer"), ({"strength": "huge"}, "strength"), ({"cursor": "zz"}, "cursor")]
)
def test_a_filter_that_cannot_be_asked_is_named(teammate: Client, query, field):
    page = shown(teammate, **query)
    assert page.status == 400
    assert f"This can’t be asked. {field}" in page.text


def test_a_long_list_goes_on_page_by_page_and_holds_every_memory_once(teammate: Client, remembered: Remembered):
    for number in range(65):
        remembered.fragment(f"Note {number} of the garden")
    page = shown(teammate, layer="1", sort="weakest")
    rest = page_of(teammate.get(MEMORY + page.links["Next page"]))
    titles = [title for title in [*page.links, *rest.links] if title.startswith("Note ")]
    assert len(titles) == len(set(titles)) == 65


def test_nothing_yet_says_how_memories_come(teammate: Client):
    page = shown(teammate)
    assert "Nothing is remembered in this scope yet" in page.text
    assert "Import a transcript" in page.links


def test_those_picked_are_pinned_archived_and_restored(owner: Client, remembered: Remembered, trio: Trio):
    kiln, wheel = remembered.fragment("The kiln was fired"), remembered.fragment("The wheel squeaks")

    assert "Pinned: 2 memories." in pressed(owner, "pin", kiln, wheel).text
    assert "Unpinned: 1 memory." in pressed(owner, "unpin", wheel).text
    assert "Archived: 2 memories." in pressed(owner, "archive", kiln, wheel).text
    assert archived(trio, kiln)
    assert not remembered.is_indexed(kiln)
    assert "Restored: 1 memory." in pressed(owner, "restore", kiln).text
    assert (archived(trio, kiln), archived(trio, wheel)) == (False, True)


@pytest.mark.parametrize(
    ("act", "memories", "said_to_them"),
    [
        ("pin", (), "Pick a memory first"),
        ("boil", (1,), "Say what is to be done"),
        ("pin", (987654,), "no such memory"),
        ("pin", ("a/b",), "no such memory"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(owner: Client, trio: Trio, act, memories, said_to_them):
    page = pressed(owner, act, *memories)
    assert page.status == 200
    assert said_to_them in page.text
    assert "Nothing was changed" in page.text


def test_an_auditor_reads_and_has_no_buttons(trio: Trio, remembered: Remembered):
    node = remembered.fragment("The kiln was fired")
    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
    auditor = governing_client(trio.teammate)

    page = shown(auditor)

    assert "The kiln was fired" in page.links
    assert "Those picked" not in page.text
    assert auditor.post(f"{MEMORY}/acts", {"scope": "shared", "act": "archive", "memory": node}).status_code == 403
    assert not archived(trio, node)


def test_a_stranger_finds_the_same_page_as_for_a_space_that_is_not_there(stranger: Client, remembered: Remembered):
    node = remembered.fragment("The kiln was fired")
    for path in (
        "memory",
        f"memory/{node}",
        "memory/forget",
        "memory/decay",
        "sessions",
        "graph",
        f"memory/{node}/graph",
    ):
        answers = [stranger.get(f"/spaces/{space}/{path}", {"scope": "shared"}) for space in ("north", "nowhere")]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert page_of(answers[0]).words == page_of(answers[1]).words


def test_another_persons_scope_is_not_there_for_a_member_and_is_for_the_owner(
    owner: Client, teammate: Client, trio: Trio
):
    own = make_scope(trio.space, "owners-own", trio.owner)
    Remembered(trio.space, own.pk).fragment("Only mine to know")
    assert shown(teammate, "owners-own").status == 404
    assert "Only mine to know" not in shown(teammate, "*").text
    assert "Only mine to know" in shown(owner, "*").text


def test_a_hostile_text_is_shown_as_the_characters_it_is_made_of(teammate: Client, remembered: Remembered):
    session = remembered.session(HOSTILE, client_id=HOSTILE, speaker=HOSTILE)
    fragment = remembered.fragment(HOSTILE, (session, 0, 0))
    event = remembered.event(HOSTILE, HOSTILE, [fragment])
    remembered.concept(HOSTILE, [event])
    for query in ({}, {"layer": "1"}, {"layer": "2"}, {"layer": "3", "text": HOSTILE}):
        page = shown(teammate, **query)
        assert HOSTILE in page.text
        assert "img" not in page.tags


def test_phi_that_is_withheld_looks_like_what_was_never_there_and_is_counted_for_those_who_govern(
    owner: Client, teammate: Client, rest: Rest, remembered: Remembered
):
    consent(rest)
    assert rest.post("facts", phi(**{"@id": "fact:rash"}), Kndl_Purpose="treatment").status_code == 201
    node = remembered.node(1, "Fragment", "phi 1", "", phi_ref="fact:rash", classification="PHI")

    page = shown(teammate)
    assert "withheld" not in page.words
    assert "rash" not in page.text
    assert "withheld" in shown(owner).words
    assert teammate.get(f"{MEMORY}/{node}", {"scope": "shared"}).status_code == 404
    assert "has a rash" in shown(teammate, purpose="treatment").text


class TestForgetting:
    """Forgetting: what it reaches, then confirmation, then a receipt."""

    @pytest.fixture
    def pottery(self, remembered: Remembered) -> dict[str, Any]:
        session = remembered.session("The kiln was fired", "Wilma glazed the bowls", client_id="pottery", speaker="Ida")
        kiln = remembered.fragment("The kiln was fired", (session, 0, 0))
        bowls = remembered.fragment("Wilma glazed the bowls", (session, 1, 1))
        firing = remembered.event("Firing day", "All bowls were fired", [kiln], (session, 0, 0))
        wilma = remembered.concept("Wilma", [bowls, firing], type="Person")
        return {"session": session, "kiln": kiln, "bowls": bowls, "firing": firing, "wilma": wilma}

    def confirmed(self, client: Client, page: Page, query: dict[str, Any], **fields: Any) -> Page:
        given = {"scope": "shared", "seen": page.fields["seen"]} | fields
        address = f"{MEMORY}/forget?{urlencode({'scope': 'shared', **query})}"
        return page_of(client.post(address, given, follow=True))

    def test_what_it_reaches_is_shown_first_and_changes_nothing(self, owner: Client, pottery, remembered: Remembered):
        page = pressed(owner, "forget", pottery["kiln"])
        assert "Asked for 1" in page.text
        assert "Go with them 1" in page.text
        assert "Firing day" in page.links
        assert "Wilma" in page.links
        assert "This cannot be undone" in page.text
        assert remembered.is_there(pottery["kiln"])

    def test_once_confirmed_it_is_gone_and_there_is_a_receipt(self, owner: Client, pottery, remembered: Remembered):
        query = {"ids": str(pottery["kiln"])}
        page = self.confirmed(owner, shown(owner, path="/forget", **query), query, reason="asked for")
        assert "1 memory forgotten" in page.text
        assert "Receipt" in page.text
        assert not remembered.is_there(pottery["kiln"])
        assert not remembered.is_there(pottery["firing"])
        assert remembered.is_there(pottery["bowls"])
        assert "kiln" not in page.text

    def test_more_that_came_to_hang_on_it_meanwhile_is_shown_before_it_goes(
        self, owner: Client, pottery, remembered: Remembered
    ):
        query = {"ids": str(pottery["bowls"])}
        page = shown(owner, path="/forget", **query)
        remembered.event("Glazing", "The bowls were glazed", [pottery["bowls"]])
        page = self.confirmed(owner, page, query)
        assert page.status == 409
        assert "Look again before you confirm" in page.text
        assert remembered.is_there(pottery["bowls"])

    @pytest.mark.parametrize("choice", ["session", "source", "person"])
    def test_all_that_came_from_somewhere(self, owner: Client, pottery, remembered: Remembered, choice: str):
        value = {"session": str(pottery["session"].pk), "source": "seat:1", "person": "ida"}[choice]
        page = self.confirmed(owner, shown(owner, path="/forget", **{choice: value}), {choice: value})
        assert "forgotten" in page.text
        assert not remembered.is_there(pottery["kiln"])
        assert not remembered.is_there(pottery["bowls"])

    def test_without_a_choice_it_asks_for_one(self, owner: Client):
        page = shown(owner, path="/forget")
        assert "All that came from…" in page.text
        assert {"person", "source"} <= set(page.fields)

    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ({"ids": "x"}, 400),
            ({"ids": "1", "person": "Ida"}, 400),
            ({"ids": "987654"}, 404),
            ({"session": "nope"}, 400),
            ({"person": "Nobody"}, 200),
        ],
    )
    def test_what_is_not_there_is_not_forgotten(self, owner: Client, query, status):
        assert shown(owner, path="/forget", **query).status == status

    def test_a_receipt_of_another_scope_is_not_there(self, owner: Client, teammate: Client, pottery, trio: Trio):
        make_scope(trio.space, "teammates-own", trio.teammate)
        query = {"ids": str(pottery["kiln"])}
        page = self.confirmed(owner, shown(owner, path="/forget", **query), query)
        (receipt,) = re.findall(r"Receipt <span class=\"mono\">([0-9a-f-]+)<", page.html)
        assert shown(teammate, path=f"/forgotten/{receipt}").status == 200
        assert shown(teammate, "teammates-own", path=f"/forgotten/{receipt}").status == 404


class TestDecay:
    """What the next pass takes, and a person's say."""

    def decide(self, client: Client, act: str, day: Any) -> Page:
        given = {"scope": "shared", "act": act, "date": str(day)}
        return page_of(client.post(f"{MEMORY}/decay/decide", given, follow=True))

    def test_what_the_next_pass_takes_is_listed(self, teammate: Client, remembered: Remembered, trio: Trio):
        old, _ = remembered.fragment("Old glaze flakes"), remembered.fragment("The kiln was fired")
        grown(trio.space, old, 60)
        page = shown(teammate, path="/decay")
        assert [row[0] for row in page.rows[1:]] == ["Old glaze flakes"]
        assert "L1 fragments 1" in page.text

    def test_the_last_pass_is_undone(self, owner: Client, remembered: Remembered, trio: Trio):
        node = remembered.fragment("Old glaze flakes")
        with entered(trio.space):
            at = now()
            NodeStrength.objects.filter(pk=node).update(archived_at=at)
            DecayPass.objects.create(date=at.date(), at=at, state="done", archived={"1": 1})
        page = self.decide(owner, "undo", at.date())
        assert "Restored what the pass had archived" in page.text
        assert not archived(trio, node)
        assert "undone" in page.text

    @pytest.mark.parametrize(("act", "state"), [("approve", "done"), ("refuse", "refused")])
    def test_a_stopped_pass_is_decided(self, owner: Client, remembered: Remembered, trio: Trio, act, state):
        node = remembered.fragment("Old glaze flakes")
        grown(trio.space, node, 60)
        with entered(trio.space):
            at = now() - timedelta(hours=1)
            DecayPass.objects.create(date=at.date(), at=at, state="stopped", archived={"1": 120})
        assert "stopped to ask" in shown(owner, path="/decay").text
        self.decide(owner, act, at.date())
        with entered(trio.space):
            assert DecayPass.objects.get().state == state
        assert archived(trio, node) == (act == "approve")

    def test_a_member_sees_it_and_does_not_decide(self, teammate: Client, trio: Trio):
        with entered(trio.space):
            DecayPass.objects.create(date=now().date(), at=now(), state="stopped", archived={"1": 120})
        page = shown(teammate, path="/decay")
        assert "Owners and admins of the Space decide" in page.text
        assert self.decide(teammate, "approve", now().date()).status == 403

    def test_it_is_decided_for_the_whole_space_whatever_scope_one_looks_at(self, owner: Client, trio: Trio):
        with entered(trio.space):
            DecayPass.objects.create(date=now().date(), at=now(), state="stopped", archived={"1": 120})
        given = {"scope": "*", "act": "refuse", "date": str(now().date())}
        page = page_of(owner.post(f"{MEMORY}/decay/decide", given, follow=True))
        assert "Nothing was archived on that date." in page.text

    def test_a_date_without_a_pass_is_said(self, owner: Client):
        assert "no decay pass on this date" in self.decide(owner, "undo", "2020-01-01").text


def test_a_page_asks_the_databases_no_more_for_many_memories_than_for_few(
    teammate: Client, remembered: Remembered, trio: Trio
):
    session = remembered.session("one", "two")

    def asked(count: int, **query: Any) -> int:
        fragments = [remembered.fragment(f"Note {count} {n}", (session, 0, 1)) for n in range(count)]
        remembered.concept(f"Topic {count}", [remembered.event(f"Day {count}", "It was", fragments)])
        return statements_of(trio.space, lambda: shown(teammate, **query))

    asked(2)
    assert asked(3) == asked(9)
    assert asked(4, layer="1") == asked(20, layer="1")


def test_a_distilled_line_is_a_memory_that_can_be_found(teammate: Client, trio: Trio, orchard: str):
    node = said(trio.space, "hand saw")
    page = shown(teammate, layer="1", text="hand saw")
    assert f"{MEMORY}/{node}?scope=shared" in page.html
    assert "plum-Kettle-93" not in shown(teammate, layer="1").text
