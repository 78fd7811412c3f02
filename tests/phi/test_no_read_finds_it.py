"""PHI is planted with markers; every address of the product is opened by everybody, without a purpose."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from memory.keys.keeping import hashed
from spaces.databases.entering import entered
from spaces.models import Membership, Scope
from tests.accounts.factors import governing_client
from tests.actors import Trio, make_seat_token, make_user
from tests.phi.markers import EVERY, SUBJECT, WHOSE, found_in, plant
from tests.rest.client import bearer, seat, stored

# Where somebody who governs a Space is told whose PHI there is, and no word of what it says.
TOLD_TO_WHO_GOVERNS = (
    "/consents",
    "/phi",
    "/facts?",
    "/api/v1/spaces/north/facts?",
    "/contradictions?",
    "/provenance?",
)
ALL_FACTS = "scope=shared&include_superseded=true&include_expired=true"
QUERIES = {
    "/facts": ("scope=shared", ALL_FACTS, "scope=*", "scope=shared&classification=PHI&order=subject"),
    "/contradictions": ("scope=shared", "scope=shared&include_dismissed=true", "scope=*&as_of=2026-06-01T00:00:00Z"),
}


def addresses(values: dict[str, str]) -> Iterator[str]:
    """Every address of the URL table, each of its parts named by `values`."""
    for route, keywords in _routes("", get_resolver().url_patterns):
        if set(keywords) <= set(values):
            yield "/" + route % values


def _routes(prefix: str, patterns: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    resolver = get_resolver()
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _routes(prefix, pattern.url_patterns)
        elif isinstance(pattern, URLPattern):
            for found in resolver.reverse_dict.getlist(pattern.callback) or ():
                for route, keywords in found[0]:
                    yield route, tuple(keywords)


def asked(path: str) -> list[str]:
    """The addresses of a path: with each query that it understands."""
    if "/spaces/north" not in path:
        return [path]
    queries = next((given for end, given in QUERIES.items() if path.endswith(end)), ("scope=shared",))
    return [f"{path}?{query}" for query in queries]


@pytest.fixture
def everybody(trio: Trio) -> dict[str, Client]:
    """Each kind of caller, none of whom states a purpose."""
    callers = {"nobody": Client(), "member": trio.client("teammate"), "stranger": governing_client(trio.stranger)}
    callers["owner"] = governing_client(trio.owner)
    for role in (Membership.Role.ADMIN, Membership.Role.AUDITOR):
        user = make_user(role)
        Membership.objects.create(space=trio.space, user=user, role=role)
        callers[role] = governing_client(user)
    callers["seat"] = seat(trio.space).client
    callers["seat without purposes"] = seat(trio.space, purposes=[]).client
    callers["seat of another purpose"] = seat(trio.space, purposes=["billing"]).client
    callers["seat elsewhere"] = bearer(make_seat_token(trio.elsewhere)).client
    return callers


GOVERN = ("owner", "admin", "auditor")


@pytest.mark.slow
def test_no_address_shows_a_marker_to_anybody_without_a_purpose(trio: Trio, everybody: dict[str, Client]):
    rest = seat(trio.space)
    rest.imported(stored("plain", subject="clinic:1", predicate="open", object=True))
    plant(rest)
    with entered(trio.space):
        scope = Scope.objects.get(space=trio.space, name="shared")
        subject = hashed(scope.pk, "subject", SUBJECT)
    values = {"space": "north", "fact_id": "fact:m1", "consent_id": "consent:marked", "subject": subject}
    paths = sorted(set(addresses(values)) | {"/", "/spaces/north/facts/fact:m2"})
    assert len(paths) > 30

    leaks = []
    opened = set()
    for who, client in everybody.items():
        for path in paths:
            for address in asked(path):
                answer = client.get(address)
                if answer.status_code == 200:
                    opened.add(path)
                shown = found_in(_content(answer)) | found_in(str(answer.headers)) | found_in(str(client.cookies))
                if who in GOVERN and any(part in address for part in TOLD_TO_WHO_GOVERNS):
                    shown -= set(WHOSE.values())
                if shown:
                    leaks.append((who, address, answer.status_code, shown))
    assert not leaks
    assert {"/spaces/north/facts", "/api/v1/spaces/north/facts", "/api/v1/spaces/north/contradictions"} <= opened


def test_with_a_covering_purpose_the_same_addresses_do_show_it(trio: Trio):
    rest = seat(trio.space)
    plant(rest)
    client = trio.client("teammate")
    shown = found_in(client.get(f"/spaces/north/facts?{ALL_FACTS}&purpose=treatment").content)
    shown |= found_in(client.get("/spaces/north/facts/fact:m1?scope=shared&purpose=treatment").content)
    exported = found_in(rest.get("facts/export", purpose="treatment").getvalue())
    assert set(EVERY) - exported == {WHOSE["evidence"], WHOSE["giver"]}
    assert shown >= {WHOSE["subject"]}


@pytest.mark.parametrize(
    "name", ["facts", "facts/fact:m1", "facts/fact:m2/provenance", "contradictions", "facts/export"]
)
def test_one_request_after_withdrawal_nothing_shows_it(trio: Trio, name: str):
    rest = seat(trio.space)
    plant(rest)
    query = {"purpose": "treatment"} | ({"include_superseded": "true"} if name == "facts" else {})
    assert found_in(_content(rest.get(name, **query)))

    rest.post("consents/consent:marked/withdraw", {})
    assert not found_in(_content(rest.get(name, **query)))


def test_no_session_keeps_a_form_that_was_sent_too_late(trio: Trio):
    """Forms that wait for somebody to prove who they are lie in the session; those of consents must not."""
    client = governing_client(trio.owner)
    session = client.session
    session["account_authentication_methods"] = []
    session.save()
    form = {"scope": "shared", "subject": SUBJECT, "purposes": "treatment", "granted_by": "x", "evidence": EVERY[0]}

    answer = client.post("/spaces/north/consents/new", form)
    assert answer.status_code == 400
    assert "proved that it is you" in answer.content.decode()
    assert not [found for session in Session.objects.all() if (found := found_in(str(session.get_decoded())))]


def _content(answer: Any) -> bytes:
    found: bytes = answer.getvalue() if answer.streaming else answer.content
    return found
