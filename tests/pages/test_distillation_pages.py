"""The pages of distillation: runs and what came of them, asking, trying again, undoing."""

from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from common.times import now
from memory.layers.models import Distillation, LayerSettings, Node, Proposal
from memory.layers.runs import claim, put_off
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio
from tests.pages.reading import Page, page_of
from tests.pages.talking import LEDGER, asked, distilled, reviewed, say, ward
from tests.rest.client import Rest

HOSTILE = "<img src=x onerror=document.title='pwn'>"
PAGE = "/spaces/north/distillation"


def runs(client: Client, **query: Any) -> Page:
    return page_of(client.get(PAGE, {"scope": "shared", **query}))


def one(client: Client, run: Distillation, **query: Any) -> Page:
    return page_of(client.get(f"{PAGE}/{run.pk}", {"scope": "shared", **query}))


def sent(client: Client, path: str) -> Any:
    return client.post(f"{PAGE}/{path}", {"scope": "shared"})


def failed(space: Any) -> Distillation:
    """A run whose model cut the stream."""
    run = asked(space)
    with entered(space):
        claimed = claim(run.pk)
        assert claimed is not None
        put_off(claimed, "The model cut the stream.")
        return Distillation.objects.get(pk=run.pk)


def nodes(space: Any) -> int:
    with entered(space):
        return Node.objects.count()


def test_a_run_shows_what_started_it_what_it_took_and_what_came_out(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    run = distilled(trio.space)

    row = runs(teammate).rows[1]

    assert row[1:4] == ["done", "somebody asked", "4"]
    assert f"{run.outcome['fragments']} fragments" in row[4]
    page = one(teammate, run)
    assert "of 4 that waited when it began" in page.text
    assert any(LEDGER[0][1] in words for words in page.links)
    assert page.rows[1][:2] == ["talk", "lines 0–3"]


def test_what_waits_is_counted_and_a_member_asks_for_a_run(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    assert "4 in 1 session" in runs(teammate).text

    assert sent(teammate, "ask")["Location"] == f"{PAGE}?scope=shared"

    page = runs(teammate)
    assert page.rows[1][1] == "waits for a worker"
    assert 'hx-trigger="every 3s"' in page.html
    paused = page_of(teammate.get(PAGE + page.links["pause"]))
    assert "hx-trigger" not in paused.html.partition('id="runs"')[2]


def test_a_run_at_work_shows_how_far_it_is(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    run = asked(trio.space)
    with entered(trio.space):
        claim(run.pk)

    assert runs(teammate).rows[1][1] == "running 0 of 4 0"
    page = one(teammate, run)
    assert "It is at work. You may leave this page and come back." in page.text
    assert 'hx-trigger="every 3s"' in page.html


def test_a_failed_run_says_why_and_when_it_is_tried_again_and_may_be_tried_now(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    run = failed(trio.space)

    assert (
        "The model cut the stream. The lines stay pending. Tried again on" in runs(teammate, state="failed").rows[1][4]
    )
    assert "It could not go on, at try 1. The model cut the stream." in one(teammate, run).text

    assert sent(teammate, f"{run.pk}/retry").status_code == 302
    with entered(trio.space):
        assert Distillation.objects.get(pk=run.pk).state == "pending"
    again = teammate.post(f"{PAGE}/{run.pk}/retry", {"scope": "shared"}, follow=True)
    assert "Only a run that failed can be tried again. Nothing was changed." in page_of(again).text


def test_undoing_says_first_what_goes_and_what_stays(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    run = distilled(trio.space)
    before = nodes(trio.space)

    page = page_of(teammate.get(one(teammate, run).links["Undo…"]))

    assert f"{before} that it formed go" in page.text
    assert nodes(trio.space) == before
    done = page_of(teammate.post(f"{PAGE}/{run.pk}/undo", {"scope": "shared"}, follow=True))
    assert f"Undone: {before} memories taken back." in done.text
    assert "Taken back by Teammate" in done.text
    assert nodes(trio.space) == 0
    assert "Undo…" not in done.links


def test_what_a_later_run_rests_on_stays_and_is_counted_so(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    first = distilled(trio.space)
    say(trio.space, LEDGER[0], client_id="later")
    distilled(trio.space)
    page = page_of(teammate.get(f"{PAGE}/{first.pk}/undo", {"scope": "shared"}))
    before = nodes(trio.space)

    done = page_of(teammate.post(f"{PAGE}/{first.pk}/undo", {"scope": "shared"}, follow=True))

    gone = int(done.text.split("Undone: ")[1].split()[0])
    assert f"{gone} that it formed go" in page.text
    assert gone < before
    assert f"{before - gone} that it formed and that later runs rest on" in page.text


def test_a_run_that_is_not_finished_is_not_undone(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    run = asked(trio.space)

    assert "The run is not finished yet." in page_of(teammate.get(f"{PAGE}/{run.pk}/undo", {"scope": "shared"})).text
    answer = page_of(teammate.post(f"{PAGE}/{run.pk}/undo", {"scope": "shared"}, follow=True))
    assert "The run is not finished yet. Nothing was changed." in answer.text


def test_what_waits_for_review_is_named_and_leads_to_the_queue(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    run = reviewed(trio.space)
    with entered(trio.space):
        count = Proposal.objects.filter(run=run).count()

    page = runs(teammate)

    assert f"{count} wait for review" in page.text
    assert f"run={run.pk}" in page.links["Review"]


def test_a_session_that_is_withheld_is_in_no_ledger_that_is_shown(
    teammate: Client, owner: Client, trio: Trio, rest: Rest
):
    ward(rest)
    run = distilled(trio.space)

    for client in (teammate, owner):
        assert "Lines it distilled" not in one(client, run).text
    assert "ward" in one(owner, run, purpose="treatment").links


def test_an_auditor_looks_and_changes_nothing(trio: Trio):
    say(trio.space, *LEDGER)
    run = distilled(trio.space)
    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)
    auditor = governing_client(trio.teammate)

    page = runs(auditor)

    assert page.status == 200
    assert {"Undo…", "Distil now"}.isdisjoint(page.links.keys())
    assert "Members, admins and owners ask for runs." in page.text
    for path in ("ask", f"{run.pk}/retry", f"{run.pk}/undo"):
        assert sent(auditor, path).status_code == 403


def test_an_empty_scope_says_what_would_be_here(teammate: Client, trio: Trio):
    assert "Nothing was distilled yet" in runs(teammate).text
    assert "No such runs" in runs(teammate, state="failed").text


def test_a_stranger_finds_no_run(stranger: Client, teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    run = distilled(trio.space)

    assert runs(stranger).status == one(stranger, run).status == 404
    for path in ("ask", f"{run.pk}/retry", f"{run.pk}/undo"):
        assert sent(stranger, path).status_code == 404
    assert one(teammate, Distillation()).status == 404


def test_hostile_words_are_shown_as_the_characters_they_are_made_of(teammate: Client, trio: Trio):
    say(trio.space, ("Jun", f"{HOSTILE} was in the March statements."), client_id="<i>talk</i>")
    run = distilled(trio.space)

    page = one(teammate, run)

    assert HOSTILE in page.text
    assert page.tags.isdisjoint({"img", "i"})


@pytest.mark.parametrize("query", [{"state": "odd"}, {"before": "x"}, {"live": "yes"}])
def test_what_cannot_be_asked_is_refused(teammate: Client, trio: Trio, query: dict[str, str]):
    assert runs(teammate, **query).status == 400


def test_runs_go_on_page_by_page_and_cost_the_same_however_many_there_are(teammate: Client, trio: Trio):
    def queries() -> int:
        with CaptureQueriesContext(connections[alias_of(trio.space.pk)]) as caught:
            runs(teammate)
        return len(caught)

    scope = trio.space.scopes.get().pk

    def made(count: int) -> None:
        with entered(trio.space):
            done = {"state": "done", "trigger": "manual", "asked_by": "system:test", "finished_at": now()}
            Distillation.objects.bulk_create(Distillation(scope=scope, **done) for _ in range(count))

    with entered(trio.space):
        LayerSettings.objects.get_or_create(single=True)
    made(2)
    queries()
    few = queries()
    made(40)

    assert queries() == few
    first = runs(teammate)
    assert len(first.rows) == 31
    second = page_of(teammate.get(PAGE + first.links["Next page"]))
    assert len(second.rows) == 13
    assert "Next page" not in second.links
