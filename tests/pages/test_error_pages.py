"""Errors as pages: what happened, then what to do, and nothing that should not be said."""

import pytest
from django.db import connections
from django.http import HttpRequest
from django.test import Client, RequestFactory

from desk import error_pages
from spaces.models import Membership
from tests.accounts.factors import governing_client
from tests.actors import Trio
from tests.pages.reading import page_of
from tests.rest.client import Rest


def test_an_address_without_a_page_says_so_to_anybody(db: None):
    answer = Client().get("/no/such/page")

    page = page_of(answer)
    assert (page.status, "There is nothing here" in page.text) == (404, True)
    assert "req-" not in page.text


def test_a_missing_route_of_the_api_is_answered_as_a_problem(db: None):
    answer = Client().get("/api/v1/nothing")

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"


def test_a_role_that_does_not_allow_it_is_told_so_once(trio: Trio, rest: Rest):
    Membership.objects.filter(user=trio.teammate).update(role=Membership.Role.AUDITOR)

    page = page_of(governing_client(trio.teammate).get("/spaces/north/facts/import", {"scope": "shared"}))

    assert page.status == 403
    assert "You may not do this" in page.text
    assert page.text.count("Your role in this Space") == 1
    assert "Your role in this Space does not allow it." in page.text
    assert "name the request: req-" in page.text


def test_the_id_a_caller_gave_its_request_stands_on_the_error_page(teammate: Client):
    answer = teammate.get("/spaces/north/facts", {"scope": ""}, headers={"X-Request-ID": "caller-said-this"})

    assert answer.status_code == 400
    assert "caller-said-this" in page_of(answer).text
    assert answer["X-Request-ID"] == "caller-said-this"


def test_a_scope_that_is_named_empty_is_not_every_scope(teammate: Client, rest: Rest):
    rest.written(statement="kept back")

    page = page_of(teammate.get("/spaces/north/facts", {"scope": ""}))

    assert (page.status, "kept back" in page.text) == (400, False)
    assert "An empty scope does not mean every scope." in page.text


def test_a_foreign_host_is_refused(db: None):
    answer = Client().get("/", headers={"Host": "evil.example"})

    assert answer.status_code == 400
    assert "evil.example" not in answer.content.decode()


def test_a_refusal_without_a_reason_shows_no_empty_notice():
    request = _asked("/somewhere")

    page = page_of(error_pages.forbidden(request))

    assert page.status == 403
    assert "notice" not in page.html


def test_the_page_of_a_fault_of_ours_asks_nothing_of_database_or_session():
    def refuse(*args: object) -> None:
        raise AssertionError("the database was asked")

    request = _asked("/spaces/north/")
    with connections["default"].execute_wrapper(refuse):
        page = page_of(error_pages.unexpected(request))

    assert page.status == 500
    assert "The fault is ours, not yours." in page.text


def test_a_fault_of_ours_in_the_api_is_a_problem_that_names_nothing_of_it():
    answer = error_pages.unexpected(_asked("/api/v1/spaces/north/facts"))

    assert answer["Content-Type"] == "application/problem+json"
    assert b'"code":"unexpected"' in answer.content


def test_a_view_that_breaks_answers_with_that_page(trio: Trio, monkeypatch: pytest.MonkeyPatch):
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr("desk.home.health_of_instance", broken)
    client = trio.client("teammate")
    client.raise_request_exception = False

    page = page_of(client.get("/spaces/north/"))

    assert (page.status, "Something broke in Kndl" in page.text) == (500, True)
    assert "a secret detail" not in page.html
    assert "Name the request: req-" in page.text


@pytest.mark.parametrize("name", ["bad_request", "forbidden", "not_found", "csrf_refused", "unexpected"])
def test_every_error_page_can_be_shown_before_anybody_is_known(name: str):
    page = page_of(getattr(error_pages, name)(_asked("/somewhere")))

    assert page.status in {400, 403, 404, 500}
    assert "h1" in page.tags


def _asked(path: str) -> HttpRequest:
    """A request that no middleware has seen, as when the host was refused."""
    return RequestFactory().get(path)
