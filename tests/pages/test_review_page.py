"""The review queue: proposals with their lines, approved, edited and refused, one by one and several."""

from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.layers.models import Node, Proposal
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio
from tests.pages.reading import Page, page_of
from tests.pages.talking import LEDGER, reviewed, say

HOSTILE = "<img src=x onerror=document.title='pwn'>"
PAGE = "/spaces/north/distillation/review"


def queue(client: Client, **query: Any) -> Page:
    return page_of(client.get(PAGE, {"scope": "shared", **query}))


def decided(client: Client, **fields: Any) -> Page:
    return page_of(client.post(PAGE, {"scope": "shared", "list": "scope=shared", **fields}, follow=True))


def proposals(space: Any, **where: Any) -> list[Proposal]:
    with entered(space):
        return list(Proposal.objects.filter(**where).order_by("pk"))


def texts(space: Any) -> set[str]:
    with entered(space):
        return set(Node.objects.filter(layer=1).values_list("text", flat=True))


@pytest.fixture
def proposed(trio: Trio) -> Trio:
    """Four lines, all of whose proposals wait."""
    say(trio.space, *LEDGER)
    reviewed(trio.space)
    return trio


def test_each_proposal_stands_beside_the_lines_it_rests_on(teammate: Client, proposed: Trio):
    page = queue(teammate, kind="fragment")

    row = next(item for item in proposals(proposed.space, kind="fragment") if "paper copies" in item.body["text"])
    part = page.html.partition(f'id="p{row.pk}"')[2].partition("</ol>")[0]
    cited = part.partition('class="is-cited"')[2]
    assert "Harrow Street asked for paper copies" in cited.partition("</li>")[0]
    assert "The VAT was summed per batch" in part.partition('class="is-cited"')[0]
    assert "← talk, line 2" in page.links


def test_nothing_is_remembered_before_somebody_approves_it(teammate: Client, proposed: Trio):
    assert texts(proposed.space) == set()
    row = proposals(proposed.space, kind="fragment")[0]

    page = decided(teammate, approve=row.pk)

    assert "Approved: 1 proposal." in page.text
    assert texts(proposed.space) == {row.body["text"]}
    assert f'id="p{row.pk}"' not in page.html


def test_an_event_brings_the_fragments_it_rests_on(teammate: Client, proposed: Trio):
    event = proposals(proposed.space, kind="event")[0]
    count = len(event.body["fragments"])
    assert f"rests on {count} that wait" in queue(teammate, kind="event").text

    decided(teammate, approve=event.pk)

    assert len(texts(proposed.space)) == count


def test_an_edit_is_what_is_remembered(teammate: Client, proposed: Trio):
    first, second = proposals(proposed.space, kind="fragment")[:2]
    fields = {f"edit-{row.pk}-text": row.body["text"] for row in (first, second)}
    fields |= {f"edit-{first.pk}-text": "The March statements are sent anew."}

    decided(teammate, approve="", proposal=[first.pk, second.pk], **fields)

    assert texts(proposed.space) == {"The March statements are sent anew.", second.body["text"]}


def test_an_edit_that_cannot_be_is_marked_and_nothing_that_was_written_is_lost(teammate: Client, proposed: Trio):
    first, second = proposals(proposed.space, kind="fragment")[:2]
    written = {f"edit-{first.pk}-text": " ", f"edit-{second.pk}-text": "another wording"}

    page = decided(teammate, approve="", proposal=[first.pk, second.pk], **written)

    assert page.status == 400
    assert "Nothing was approved." in page.text
    assert "must be text of 1 to" in page.text
    assert "another wording" in page.html
    assert texts(proposed.space) == set()


def test_several_are_refused_at_once_and_what_rests_on_nothing_else_goes_with_them(teammate: Client, proposed: Trio):
    fragments = proposals(proposed.space, kind="fragment")

    page = decided(teammate, refuse="", proposal=[row.pk for row in fragments])

    assert "with those that went along" in page.text
    assert proposals(proposed.space, state="waiting", kind="event") == []
    assert texts(proposed.space) == set()


def test_what_somebody_else_decided_meanwhile_is_told_and_changes_nothing(teammate: Client, proposed: Trio):
    row = proposals(proposed.space, kind="fragment")[0]
    decided(teammate, refuse=row.pk)

    page = decided(teammate, approve=row.pk)

    assert "was decided in the meantime. Nothing was changed." in page.text
    assert texts(proposed.space) == set()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"approve": ""}, "Pick a proposal first."),
        ({}, "Say what is to be done."),
        ({"approve": "999999"}, "is not here."),
    ],
)
def test_a_press_that_says_nothing_is_answered_in_words(
    teammate: Client, proposed: Trio, fields: dict[str, str], said: str
):
    assert said in decided(teammate, **fields).text


def test_the_queue_is_worked_by_keys_and_counted_in_the_navigation(teammate: Client, proposed: Trio):
    page = queue(teammate)

    count = len(proposals(proposed.space, state="waiting"))
    assert f"{count} wait" in page.text
    assert "data-queue" in page.html
    assert all(f'data-press="{key}"' in page.html for key in "ar")
    assert any(words.startswith(f"Distillation {count}") for words in page.links)


def test_an_auditor_sees_the_queue_and_decides_nothing(proposed: Trio):
    Membership.objects.filter(user=proposed.teammate).update(role=Membership.Role.AUDITOR)
    auditor = governing_client(proposed.teammate)
    row = proposals(proposed.space)[0]

    page = queue(auditor)

    assert "Members, admins and owners decide." in page.text
    assert "proposal" not in page.fields
    assert auditor.post(PAGE, {"scope": "shared", "refuse": row.pk}).status_code == 403


def test_a_stranger_finds_no_queue(stranger: Client, proposed: Trio):
    row = proposals(proposed.space)[0]
    assert queue(stranger).status == 404
    assert stranger.post(PAGE, {"scope": "shared", "refuse": row.pk}).status_code == 404
    assert len(proposals(proposed.space, state="refused")) == 0


def test_an_empty_queue_says_what_would_be_here(teammate: Client, proposed: Trio):
    assert "Nothing of this waits" in queue(teammate, after=999_999).text
    for row in proposals(proposed.space):
        with entered(proposed.space):
            Proposal.objects.filter(pk=row.pk).update(state="refused")
    assert "Nothing waits for you" in queue(teammate).text


def test_hostile_words_are_shown_as_the_characters_they_are_made_of(teammate: Client, trio: Trio):
    say(trio.space, ("<b>Jun</b>", f"{HOSTILE} was in the March statements."), client_id="<i>talk</i>")
    reviewed(trio.space)

    page = queue(teammate)

    assert HOSTILE in page.text
    assert page.tags.isdisjoint({"img", "i"})


def test_the_queue_costs_the_same_however_much_waits(teammate: Client, proposed: Trio):
    def queries() -> int:
        with CaptureQueriesContext(connections[alias_of(proposed.space.pk)]) as caught:
            queue(teammate)
        return len(caught)

    queries()
    few = queries()
    say(proposed.space, *((f"Ann{n}", f"Clinic {n} was sent statement {n} again.") for n in range(12)), client_id="b")
    reviewed(proposed.space)
    assert queries() == few
