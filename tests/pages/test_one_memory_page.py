"""The page of one memory: everything that hangs on it, and what can be done with it."""

import re
from typing import Any

import pytest
from django.test import Client

from common.times import now
from memory.layers.models import Node, NodeStrength, RecallUse
from memory.layers.reinforcing import recall_fragments
from spaces.databases.entering import entered
from tests.actors import Trio
from tests.layers.remembered import Remembered
from tests.pages.orchard import SECRET, distilled, grown, said, statements_of, talk
from tests.pages.reading import Page, page_of

HOSTILE = "<img src=x onerror=document.title='pwn'>"


@pytest.fixture
def remembered(trio: Trio) -> Remembered:
    """Memories of the Space's shared scope."""
    return Remembered(trio.space, trio.space.scopes.get().pk)


@pytest.fixture
def pottery(remembered: Remembered) -> dict[str, Any]:
    """A session of two lines, two fragments, an event and a concept."""
    session = remembered.session("The kiln was fired", "Wilma glazed the bowls", client_id="pottery", speaker="Ida")
    kiln = remembered.fragment("The kiln was fired", (session, 0, 0))
    bowls = remembered.fragment("Wilma glazed the bowls", (session, 1, 1), score=0.6)
    firing = remembered.event("Firing day", "All bowls were fired", [kiln, bowls], (session, 0, 1))
    wilma = remembered.concept("Wilma", [bowls, firing], type="Person")
    remembered.link((kiln, "next", bowls))
    return {"session": session, "kiln": kiln, "bowls": bowls, "firing": firing, "wilma": wilma}


def address(node: Any, act: str = "") -> str:
    return f"/spaces/north/memory/{node}{act}"


def shown(client: Client, node: Any, act: str = "", **query: Any) -> Page:
    return page_of(client.get(address(node, act), {"scope": "shared", **query}))


def sent(client: Client, node: Any, act: str, **fields: Any) -> Page:
    return page_of(client.post(address(node, act), {"scope": "shared"} | fields, follow=True))


def test_a_fragment_shows_its_lines_its_event_its_links_and_its_strength(teammate: Client, pottery: dict[str, Any]):
    page = shown(teammate, pottery["bowls"])

    assert page.status == 200
    assert "Wilma glazed the bowls" in page.text
    assert "pottery, line 1" in page.links
    assert page.links["pottery, line 1"].endswith("#L1")
    assert "Firing day" in page.links
    for words in ("Part of", "Mentions", "Said before", "Threshold", "Fades"):
        assert words in page.text
    assert 'class="strength"' in page.html
    assert "Strength was 0.60" in page.html


def test_a_concept_leads_down_to_the_lines_it_rests_on(teammate: Client, pottery: dict[str, Any]):
    page = shown(teammate, pottery["wilma"])
    assert {"Firing day", "The kiln was fired", "pottery, line 0", "pottery, line 1"} <= set(page.links)
    assert "never fades" in page.text
    assert "tau" not in page.fields


def test_an_event_leads_up_to_what_it_mentions_and_down_to_its_fragments(teammate: Client, pottery: dict[str, Any]):
    page = shown(teammate, pottery["firing"])
    assert "All bowls were fired" in page.text
    assert {"Wilma", "The kiln was fired", "Wilma glazed the bowls"} <= set(page.links)


def test_a_memory_of_a_real_conversation_quotes_its_lines_masked(teammate: Client, trio: Trio):
    session = talk(trio.space)
    distilled(trio.space, session)
    page = shown(teammate, said(trio.space, "hand saw"))
    assert "I prefer the hand saw" in page.text
    assert "Rune" in page.text
    assert SECRET not in page.html


def test_another_tau_is_tried_and_changes_nothing(teammate: Client, pottery: dict[str, Any], remembered: Remembered):
    page = shown(teammate, pottery["kiln"], tau="28")
    assert "With τ 28 days" in page.text
    assert "strength-other" in page.html
    assert remembered.strength(pottery["kiln"]).tau == 14


@pytest.mark.parametrize("tau", ["0", "much", "1e9", "nan"])
def test_a_tau_that_cannot_be_is_refused_with_its_reason(teammate: Client, pottery: dict[str, Any], tau: str):
    page = shown(teammate, pottery["kiln"], tau=tau)
    assert page.status == 400
    assert re.search(r"tau (must be|is not valid)", page.text)
    assert "The kiln was fired" in page.text


def test_reinforcements_and_readers_are_told(teammate: Client, pottery: dict[str, Any], trio: Trio):
    kiln, scope = pottery["kiln"], trio.space.scopes.get().pk
    with entered(trio.space):
        recall_fragments(scope, [kiln], now(), base_tau=14.0, actor=f"person:{trio.teammate.pk}")
        RecallUse.objects.create(
            scope=scope, actor=f"person:{trio.teammate.pk}", at=now(), purpose="audit", nodes=[kiln]
        )
    page = shown(teammate, kiln)
    assert [row[0] for row in page.rows[1:]] == ["shown by a recall", "formed"]
    assert page.rows[1][3] == "τ 21 days"
    assert page.rows[1][4] == "Teammate"
    assert "Teammate for audit" in page.text


@pytest.mark.parametrize("number", ["0", "987654", "-1", "x", "99999999999999999999", "٣"])
def test_what_is_no_memory_is_not_found(teammate: Client, number: str):
    for act in ("", "/graph"):
        assert shown(teammate, number, act).status == 404


def test_a_hostile_memory_is_shown_as_the_characters_it_is_made_of(teammate: Client, remembered: Remembered):
    session = remembered.session(HOSTILE, client_id=HOSTILE, speaker=HOSTILE)
    fragment = remembered.fragment(HOSTILE, (session, 0, 0), attributes={"kind": HOSTILE})
    event = remembered.event(HOSTILE, HOSTILE, [fragment])
    concept = remembered.concept(HOSTILE, [event], attributes={"aliases": [HOSTILE]})
    for node in (fragment, event, concept):
        for act in ("", "/correct", "/merge", "/graph"):
            page = shown(teammate, node, act)
            assert page.status == 200
            assert "img" not in page.tags
            assert "&lt;img src=x" in page.html


def test_a_memory_is_pinned_and_archived_and_restored_on_its_page(
    owner: Client, pottery: dict[str, Any], remembered: Remembered
):
    def press(act: str) -> Page:
        given = {"scope": "shared", "memory": pottery["kiln"], "back": "memory", "act": act}
        return page_of(owner.post("/spaces/north/memory/acts", given, follow=True))

    assert "Pinned: 1 memory." in press("pin").text
    assert remembered.strength(pottery["kiln"]).pinned
    page = press("archive")
    assert "it is out of recall, and kept" in page.text
    assert "Restored: 1 memory." in press("restore").text


def test_a_button_for_what_is_no_memory_leads_nowhere(owner: Client):
    given = {"scope": "shared", "memory": "a/b", "back": "memory", "act": "pin"}
    assert owner.post("/spaces/north/memory/acts", given).status_code == 404


def test_forgetting_from_its_page_shows_the_reach_first(owner: Client, pottery: dict[str, Any], remembered: Remembered):
    given = {"scope": "shared", "memory": pottery["kiln"], "back": "memory", "act": "forget"}
    page = page_of(owner.post("/spaces/north/memory/acts", given, follow=True))
    assert "These go" in page.text
    assert remembered.is_there(pottery["kiln"])


class TestCorrecting:
    """Other words stand in the place of the old ones."""

    def test_a_fragment_gets_other_words(self, owner: Client, pottery: dict[str, Any], trio: Trio):
        assert "The kiln was fired" in shown(owner, pottery["kiln"], "/correct").text
        page = sent(owner, pottery["kiln"], "/correct", text="The kiln was fired twice", reason="I counted")
        assert "Corrected." in page.text
        assert "The kiln was fired twice" in page.text
        assert "pottery, line 0" in page.links
        old = shown(owner, pottery["kiln"])
        assert "Another memory stands in its place" in old.text
        assert {"The kiln was fired twice", "The memory that stands"} <= set(old.links)

    def test_a_concept_gets_another_name(self, owner: Client, pottery: dict[str, Any]):
        page = sent(owner, pottery["wilma"], "/correct", name="Wilma Ostrander", text="")
        assert "Wilma Ostrander" in page.text
        assert "The kiln was fired" in page.links

    def test_the_same_words_are_no_correction(self, owner: Client, pottery: dict[str, Any], remembered: Remembered):
        page = sent(owner, pottery["kiln"], "/correct", text="The kiln was fired")
        assert page.status == 400
        assert "must differ" in page.text
        assert remembered.strength(pottery["kiln"]).archived_at is None

    def test_a_name_that_is_taken_leads_to_the_memory_that_has_it(
        self, owner: Client, pottery: dict[str, Any], remembered: Remembered
    ):
        ida = remembered.concept("Ida", [pottery["kiln"]], type="Person")
        page = sent(owner, ida, "/correct", name="Wilma", text="")
        assert page.status == 409
        assert str(pottery["wilma"]) in page.links["The memory of that name"]
        assert page.fields["name"] == "Wilma"

    def test_a_concept_is_given_another_type(self, owner: Client, pottery: dict[str, Any], trio: Trio):
        page = sent(owner, pottery["wilma"], "/retype", type="Topic")
        assert "It is of type Topic now." in page.text
        assert "must be one of" in sent(owner, pottery["wilma"], "/retype", type="Gnome").text
        with entered(trio.space):
            assert Node.objects.get(pk=pottery["wilma"]).type == "Topic"


class TestMerging:
    """Two that say the same become one, and two again."""

    @pytest.fixture
    def pair(self, remembered: Remembered, pottery: dict[str, Any], trio: Trio) -> tuple[int, int]:
        twin = remembered.fragment("They fired the kiln", (pottery["session"], 1, 1))
        grown(trio.space, twin, 10)
        return pottery["kiln"], twin

    def test_the_other_one_is_found_by_its_words(self, owner: Client, pair: tuple[int, int]):
        page = shown(owner, pair[0], "/merge", q="fired kiln")
        assert "They fired the kiln" in page.links
        assert "The kiln was fired" not in [title for title in page.links if "merge" in page.links[title]]
        assert "Nothing matches" in shown(owner, pair[0], "/merge", q="zeppelin").text

    def test_what_it_would_do_is_shown_first(self, owner: Client, pair: tuple[int, int], remembered: Remembered):
        page = shown(owner, pair[0], "/merge", **{"with": pair[1]})
        assert re.search(r"Stays .* The kiln was fired .* Goes into it .* They fired the kiln", page.text)
        swapped = page_of(owner.get(page.links["Let the other one stay"]))
        assert re.search(r"Stays .* They fired the kiln .* Goes into it .* The kiln was fired", swapped.text)
        assert remembered.strength(pair[1]).archived_at is None

    def test_it_is_merged_and_undone(self, owner: Client, pair: tuple[int, int], remembered: Remembered):
        page = sent(owner, pair[0], "/merge", **{"with": pair[1], "into": pair[0]})
        assert "Merged." in page.text
        assert "pottery, line 1" in page.links
        assert "merged into another" in page.text
        assert "Merged into another memory" in shown(owner, pair[1]).text
        assert "The merge is undone" in sent(owner, pair[0], "/unmerge").text
        assert remembered.strength(pair[1]).archived_at is None
        assert "Nothing was merged" in sent(owner, pair[0], "/unmerge").text

    @pytest.mark.parametrize("other", ["itself", "event", "nobody"])
    def test_what_does_not_go_together_is_refused(
        self, owner: Client, pair: tuple[int, int], pottery: dict[str, Any], other: str
    ):
        number = {"itself": pair[0], "event": pottery["firing"], "nobody": 987654}[other]
        page = shown(owner, pair[0], "/merge", **{"with": number})
        assert page.status == {"itself": 400, "event": 422, "nobody": 404}[other]


def test_a_reader_who_may_not_govern_has_no_buttons(trio: Trio, pottery: dict[str, Any]):
    from spaces.models import Membership
    from tests.accounts.factors import governing_client

    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
    auditor = governing_client(trio.teammate)
    page = shown(auditor, pottery["kiln"])
    assert "Correct…" not in page.links
    for act in ("/correct", "/merge"):
        assert shown(auditor, pottery["kiln"], act).status == 403
    for act in ("/retype", "/unmerge", "/correct"):
        assert sent(auditor, pottery["wilma"], act, type="Topic").status == 403


def test_a_page_asks_the_databases_no_more_for_much_that_hangs_on_it(
    teammate: Client, remembered: Remembered, trio: Trio
):
    def asked(count: int) -> int:
        session = remembered.session(*(f"line {number}" for number in range(count)), client_id=f"talk {count}")
        parts = [remembered.fragment(f"Note {count} {n}", (session, n, n)) for n in range(count)]
        event = remembered.event(f"Day {count}", "It was", parts, (session, 0, count - 1))
        remembered.concept(f"Topic {count}", [event, *parts])
        return statements_of(trio.space, lambda: shown(teammate, event))

    asked(3)
    assert asked(2) == asked(11)


def test_an_archived_memory_that_was_pinned_before_says_so(teammate: Client, pottery: dict[str, Any], trio: Trio):
    with entered(trio.space):
        NodeStrength.objects.filter(pk=pottery["kiln"]).update(archived_at=now())
    page = shown(teammate, pottery["kiln"])
    assert "Archived" in page.text
    assert "Restore" in page.text
