"""What home says of the layers: what was learnt, what waits, and when distillation and decay are at work."""

from datetime import date, timedelta

from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from common.times import now
from memory.layers.models import DecayPass, Node
from memory.layers.runs import claim, put_off
from memory.sessions.models import Session
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from tests.actors import Trio, make_scope
from tests.pages.reading import Page, page_of
from tests.pages.talking import LEDGER, asked, distilled, reviewed, say


def home(client: Client) -> Page:
    return page_of(client.get("/spaces/north/"))


def figure(page: Page, label: str) -> str:
    """The number that stands under a label of the ledger."""
    return page.text.split(label)[1].split()[0]


def test_a_space_in_which_nothing_was_said_shows_nothing_of_it(teammate: Client, trio: Trio):
    assert "Memory at work" not in home(teammate).text
    assert "Memories learnt" not in home(teammate).text


def test_what_was_formed_today_is_counted_and_what_was_formed_before_is_not(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    distilled(trio.space)
    with entered(trio.space):
        formed = Node.objects.count()
        oldest = Node.objects.order_by("pk")[0]
        Node.objects.filter(pk=oldest.pk).update(formed_at=now() - timedelta(days=2))

    assert figure(home(teammate), "Memories learnt since midnight") == str(formed - 1)


def test_the_last_run_and_the_next_one_are_named(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    assert "Distilled last never" in home(teammate).text
    assert "if nobody says anything until then" in home(teammate).text
    with entered(trio.space):
        Session.objects.update(last_line_at=now() - timedelta(days=1))
    assert "Distils next at the next tick" in home(teammate).text

    distilled(trio.space)

    page = home(teammate)
    assert "shared: 4 fragments" in page.text
    assert "Distils next when something is said; no line waits" in page.text


def test_a_run_that_is_open_or_failed_is_named(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    run = asked(trio.space)
    assert "as soon as a worker is free, shared" in home(teammate).text

    with entered(trio.space):
        claimed = claim(run.pk)
        assert claimed is not None
        put_off(claimed, "The model cut the stream.")

    page = home(teammate)
    assert "A distillation failed: The model cut the stream." in page.text
    assert page_of(teammate.get(page.links["The run"])).status == 200


def test_what_waits_for_review_is_a_figure_that_leads_there(teammate: Client, trio: Trio):
    assert "Proposals waiting" not in home(teammate).text
    say(trio.space, *LEDGER)
    reviewed(trio.space)

    page = home(teammate)

    link = next(href for words, href in page.links.items() if words.startswith("Proposals waiting"))
    assert f"{figure(page, 'Proposals waiting')} wait" in page_of(teammate.get(link)).text


def test_a_decay_pass_that_stopped_asks_and_another_says_what_it_took(teammate: Client, trio: Trio):
    say(trio.space, *LEDGER)
    distilled(trio.space)
    assert "Decayed last not yet" in home(teammate).text
    with entered(trio.space):
        DecayPass.objects.create(date=date(2026, 1, 1), at=now(), state="done", archived={"1": 3})
    assert "3 of L1 archived" in home(teammate).text
    with entered(trio.space):
        DecayPass.objects.create(date=date(2026, 1, 2), at=now(), state="stopped", archived={"1": 300})

    assert "The decay pass of 2 Jan 2026 stopped" in home(teammate).text


def test_another_persons_memory_is_left_out(owner: Client, trio: Trio):
    make_scope(trio.space, "own", trio.teammate)
    say(trio.space, *LEDGER, scope="own")
    distilled(trio.space, scope="own")

    assert "Memory at work" not in home(owner).text


def test_home_asks_the_database_as_often_for_much_as_for_little(teammate: Client, trio: Trio):
    def queries() -> int:
        with CaptureQueriesContext(connections[alias_of(trio.space.pk)]) as caught:
            home(teammate)
        return len(caught)

    say(trio.space, LEDGER[0])
    distilled(trio.space)
    queries()
    few = queries()
    say(trio.space, *LEDGER, client_id="more")
    distilled(trio.space)
    assert queries() == few
