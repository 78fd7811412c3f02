"""Home: where one lands, and what it says of a Space."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from accounts.models import User
from memory.facts.pages.home import bounded, since_midnight
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_scope, make_user
from tests.pages.reading import Page, page_of, statements
from tests.rest.client import Rest, seat, stored

HOSTILE = "<img src=x onerror=document.title='pwn'>"


def home(client: Client) -> Page:
    return page_of(client.get("/spaces/north/"))


def figure(page: Page, label: str) -> str:
    """The number that stands under a label of the ledger."""
    return page.text.split(label)[1].split()[0]


def test_the_start_leads_to_the_space_that_was_open_last(trio: Trio):
    Membership.objects.create(space=trio.elsewhere, user=trio.teammate, role=Membership.Role.MEMBER)
    client = trio.client("teammate")

    assert client.get("/")["Location"] == "/spaces/elsewhere/"
    client.get("/spaces/north/")
    assert client.get("/")["Location"] == "/spaces/north/"


def test_the_start_asks_a_stranger_to_sign_in(db: None):
    assert Client().get("/")["Location"].startswith("/accounts/login/")


def test_somebody_without_a_space_is_told_how_to_come_by_one(db: None):
    client = Client()
    client.force_login(make_user("alone"))
    page = page_of(client.get("/"))
    assert (page.status, "Ask an owner or admin of a Space to invite you." in page.text) == (200, True)
    assert "New Space…" not in page.links

    owner = make_user("first")
    owner.instance_role = User.InstanceRole.OWNER
    owner.save()
    assert page_of(governing_client(owner).get("/")).links["New Space…"] == "/spaces/new"


def test_an_empty_space_says_what_would_be_here_and_shows_no_figures(teammate: Client):
    page = home(teammate)

    assert "No facts yet" in page.text
    assert {"Write a fact", "Import a memory folder"} <= page.links.keys()
    assert "Facts held true now" not in page.text


def test_the_figures_count_what_is_there(teammate: Client, rest: Rest):
    rest.imported(
        stored("old"),
        stored("new", supersedes="fact:old", recordedAt="2026-02-01T00:00:00Z"),
        stored("gone", validUntil="2026-02-01T00:00:00Z"),
        stored("shaky", confidence=0.5),
        stored("weak", confidence=0.1),
    )
    rest.written(statement="just now")

    page = home(teammate)

    labels = ("Facts held true now", "Facts learnt since midnight", "Of them uncertain", "Of them stale")
    assert [figure(page, label) for label in labels] == ["4", "1", "1", "1"]
    uncertain = next(href for words, href in page.links.items() if words.startswith("Of them uncertain"))
    assert statements(page_of(teammate.get(uncertain))) == ["this is shaky"]


def test_the_newest_facts_are_links_to_them(teammate: Client, rest: Rest):
    rest.imported(*(stored(f"n{number}", recordedAt=f"2026-01-{number + 1:02}T00:00:00Z") for number in range(12)))

    links = [words for words in home(teammate).links if words.startswith("this is")]
    assert links == [f"this is n{number}" for number in range(11, 3, -1)]
    assert page_of(teammate.get(home(teammate).links["this is n11"])).status == 200


def test_a_look_at_home_is_no_look_into_another_persons_memory(owner: Client, teammate: Client, trio: Trio, rest: Rest):
    of_owner, of_teammate = (make_scope(trio.space, user.name, user) for user in (trio.owner, trio.teammate))
    seat(trio.space, scope=of_owner).written(statement="the owner's own")
    seat(trio.space, scope=of_teammate).written(statement="the teammate's own")
    rest.written(statement="for all")

    assert {words for words in home(owner).links if "own" in words or "all" in words} >= {"the owner's own", "for all"}
    assert "the teammate's own" not in home(owner).text
    assert "the owner's own" not in home(teammate).text
    assert figure(home(owner), "Facts held true now") == figure(home(teammate), "Facts held true now") == "2"


def test_the_navigation_holds_what_one_may_open_and_home_comes_first(owner: Client, teammate: Client):
    def items(client: Client) -> list[str]:
        words = home(client).links
        return [name for name in words if name.split(" g ")[0] in {"Home", "Facts", "Seats", "People"}]

    assert items(owner) == ["Home g h", "Facts g f", "Seats g t", "People g w"]
    assert items(teammate) == ["Home g h", "Facts g f", "People g w"]
    links = home(owner).links
    assert [owner.get(links[name], follow=True).status_code for name in items(owner)] == [200] * 4
    assert 'aria-current="page">Home' in home(owner).html


def test_a_stranger_finds_no_home(stranger: Client):
    answers = [page_of(stranger.get(f"/spaces/{name}/")) for name in ("north", "nowhere")]
    assert (answers[0].status, answers[0].words) == (404, answers[1].words)


def test_a_hostile_statement_is_shown_as_the_characters_it_is_made_of(teammate: Client, rest: Rest):
    rest.written(statement=HOSTILE)

    assert HOSTILE in home(teammate).links
    assert "img" not in home(teammate).tags


@pytest.mark.parametrize(
    ("count", "most", "said"), [(0, 5, "0"), (20_000, 20_000, "20,000"), (20_001, 20_000, "20,000+")]
)
def test_a_count_beyond_its_bound_says_that_there_are_more(count: int, most: int, said: str):
    assert bounded(count, most) == said


def test_midnight_is_the_spaces_own():
    at = datetime(2026, 7, 1, 20, 0, tzinfo=UTC)

    assert since_midnight(at, "Asia/Kathmandu") == datetime(2026, 7, 1, 18, 15, tzinfo=UTC)
    assert since_midnight(at, "America/Lima") == datetime(2026, 7, 1, 5, 0, tzinfo=UTC)
