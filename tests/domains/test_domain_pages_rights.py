"""Who comes to which page of a domain, and that it is not there for everybody else."""

from typing import Any

import pytest

from spaces.models import Membership
from tests.accounts.factors import give_app
from tests.domains.together import Together
from tests.domains.walking import GOVERNS, KEEPS, PAGES, READS, SHARED, WRITES, walker, with_key
from tests.pages.reading import page_of

REVEAL = "/keys/PAYER/reveal"
ALL = [*READS, *WRITES, *KEEPS, *GOVERNS, REVEAL]


@pytest.mark.parametrize(
    ("who", "allowed"),
    [
        ("boss", {*READS, *WRITES, *KEEPS, *GOVERNS, REVEAL}),
        ("owner", {*READS, *WRITES, *KEEPS, REVEAL}),
        ("teammate", {*READS, *WRITES, REVEAL}),
        ("auditor", {*READS}),
    ],
)
def test_each_role_opens_its_pages_and_is_turned_away_from_the_others(together: Together, who, allowed):
    with_key(together)
    here = walker(together, who)
    if who == "auditor":
        give_app(together.trio.auditor)  # type: ignore[attr-defined]
    for path in ALL:
        assert here.client.get(f"{SHARED}{path}").status_code == (200 if path in allowed else 403), path


def test_buttons_are_shown_to_who_may_press_them(together: Together):
    with_key(together)
    words = {
        "Members…": {"boss"},
        "Retire…": {"boss"},
        "Rewrite": {"boss", "owner", "teammate"},
        "Add a line": {"boss", "owner", "teammate"},
        "Reveal…": {"boss", "owner", "teammate"},
        "Set a key…": {"boss", "owner"},
        "Delete…": {"boss", "owner"},
    }
    for who in ("boss", "owner", "teammate"):
        links = walker(together, who).look().links
        assert {word for word in words if word in links} == {word for word, them in words.items() if who in them}


def test_writing_without_the_right_changes_nothing(together: Together):
    with_key(together)
    here = walker(together, "auditor")
    give_app(together.trio.auditor)  # type: ignore[attr-defined]
    before = {file: together.read(file) for file in ("CONTEXT.md", "LOG.md", "KEYS.md")}
    assert here.rewrite("# Other").status_code == 403
    assert here.add("other").status_code == 403
    for path, sent in (
        ("/keys/set", {"name": "PAYER", "value": "other"}),
        ("/keys/PAYER/delete", {}),
        ("/keys/PAYER/reveal", {}),
        ("/members", {"name": "Other"}),
        ("/retire", {}),
    ):
        assert here.send(path, **sent).status_code == 403, path
    together.settle()
    assert {file: together.read(file) for file in before} == before


def test_a_domain_of_another_space_answers_like_one_that_was_never_made(together: Together):
    together.domain_of("far", together.gamma)
    here = walker(together, "owner")
    for path in ALL:
        there = here.client.get(f"{PAGES}/far{path}")
        never = here.client.get(f"{PAGES}/gone{path}")
        assert (there.status_code, never.status_code) == (404, 404), path
        assert page_of(there).words.replace("far", "gone") == page_of(never).words
    assert "far" not in page_of(here.client.get(PAGES)).text


def test_a_stranger_finds_no_page_in_the_space_nor_the_domain_in_their_own(together: Together):
    stranger = walker(together, "stranger").client
    assert stranger.get(SHARED).status_code == 404
    assert stranger.get("/spaces/elsewhere/domains/shared").status_code == 404
    assert "No domain yet" in page_of(stranger.get("/spaces/elsewhere/domains")).text


def test_only_the_owner_of_the_instance_makes_domains(together: Together, client: Any):
    for who in ("owner", "teammate"):
        here = walker(together, who).client
        assert here.get(f"{PAGES}/new").status_code == 403
        assert here.post(f"{PAGES}/new", {"slug": "mine", "name": "Mine"}).status_code == 403
        assert "New domain" not in page_of(here.get(PAGES)).links
    assert "New domain" in page_of(walker(together, "boss").client.get(PAGES)).links


def test_whoever_leaves_the_space_loses_the_pages(together: Together):
    here = walker(together, "teammate")
    assert here.look().status == 200
    Membership.objects.filter(user=together.trio.teammate).delete()
    assert here.look().status == 404
