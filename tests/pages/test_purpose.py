"""What a reader acts for is theirs to say, and stays said."""

from typing import Any

import pytest
from django.test import Client

from tests.actors import Trio

FACTS = "/spaces/north/facts"


@pytest.fixture
def teammate(trio: Trio) -> Client:
    return trio.client("teammate")


def purpose_of(page: Any) -> str | None:
    return page.context["purpose"]


def choose(client: Client, purpose: str, back: str = f"{FACTS}?scope=shared") -> Any:
    return client.post("/spaces/north/purpose", {"purpose": purpose, "next": back})


def test_a_chosen_purpose_is_kept_for_the_session_and_leads_back(teammate: Client):
    answer = choose(teammate, "care")
    assert (answer.status_code, answer["Location"]) == (302, f"{FACTS}?scope=shared")
    assert purpose_of(teammate.get(FACTS, {"scope": "shared"})) == "care"
    choose(teammate, "")
    assert purpose_of(teammate.get(FACTS, {"scope": "shared"})) is None


def test_a_purpose_in_an_address_is_that_pages_alone(teammate: Client):
    assert purpose_of(teammate.get(FACTS, {"scope": "shared", "purpose": "care"})) == "care"
    assert purpose_of(teammate.get(FACTS, {"scope": "shared"})) is None


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_cannot_say_what_a_reader_acts_for(teammate: Client, site: str):
    led = {"Sec-Fetch-Site": site}
    assert purpose_of(teammate.get(FACTS, {"scope": "shared", "purpose": "marketing"}, headers=led)) is None


def test_a_purpose_nobody_knows_is_refused(teammate: Client):
    assert choose(teammate, "curiosity").status_code == 400


def test_the_way_back_never_leads_to_another_host(teammate: Client):
    for back in ("https://evil.example/", "//evil.example/", "javascript:alert(1)", ""):
        assert choose(teammate, "care", back)["Location"] == "/spaces/north/"


def test_a_stranger_chooses_nothing_here(trio: Trio):
    assert choose(trio.client("stranger"), "care").status_code in {302, 404}
    assert Client().post("/spaces/north/purpose", {"purpose": "care"})["Location"].startswith("/accounts/login/")
