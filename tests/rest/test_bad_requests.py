"""Requests that are wrong in form: each is refused by name, soon, and breaks nothing."""

import json
import time
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from common.times import now
from seats.models import SeatToken
from spaces.models import Membership
from tests.actors import make_seat_token, make_user
from tests.rest.client import NDJSON, Rest, bearer, live, seat

POSTS = ["facts", "facts/fact:a/supersede", "consents"]
FACT = json.dumps(live())


def refused_in_time(rest: Rest, path: str, body: bytes) -> Any:
    started = time.perf_counter()
    answer = rest.post(path, body)
    assert time.perf_counter() - started < 1
    assert answer.status_code == 400, answer.content[:300]
    assert answer["Content-Type"] == "application/problem+json"
    return answer.json()


@pytest.mark.parametrize("path", POSTS)
@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"nonsense", b"\xff\xfe{}", b"[" * 100_000, b'{"a":' * 100_000, b"{} {}", b"null", b"[]", b'"x"',
        b"1",
        b'{"statement": "\\ud800"}', b'{"x": NaN}', b'{"x": -Infinity}', b'{"x": 1e999}', b'{"x": "\\u0000"}',
        b'{"x": ' + b"9" * 5_000 + b"}", b'{"x": 1, "x": 2}', b"\xef\xbb\xbf{}",
    ],
    ids=lambda value: value[:24],
)  # fmt: skip
def test_what_is_not_json_in_the_strict_sense_is_refused_on_every_route(rest: Rest, path: str, body: bytes):
    refused_in_time(rest, path, body)
    assert rest.listed() == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("confidence", "NaN"), ("confidence", "1e999"), ("object", "9" * 5_000), ("object", '"a\\u0000b"'),
        ("object", '"\\udc00"'), ("object", '{"deep": [-Infinity]}'), ("statement", '"a", "statement": "b"'),
        ("object", "[" * 70 + "]" * 70),
    ],
)  # fmt: skip
def test_the_field_that_json_or_the_database_cannot_hold_is_named(rest: Rest, field: str, value: str):
    body = FACT[:-1] + f', "{field}": {value}}}' if field not in FACT else FACT.replace(
        json.dumps(field) + ": " + json.dumps(live()[field]), f'"{field}": {value}'
    )  # fmt: skip
    answer = refused_in_time(rest, "facts", body.encode())
    assert answer["errors"][0]["field"].startswith(field)
    assert rest.listed() == []


def test_a_document_that_is_too_large_is_refused(rest: Rest):
    assert rest.post("facts", live(**{"x:pad": "y" * 300_000})).status_code == 413
    assert rest.post("facts", live(object="y" * 70_000)).status_code == 400
    assert rest.post("facts", b" " * 6_000_000).status_code == 413


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", NDJSON, "multipart/form-data"])
def test_only_json_is_taken_for_one_fact(rest: Rest, kind: str):
    answer = rest.client.generic("POST", rest.address("facts"), FACT.encode(), content_type=kind)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "Content-Type")


@pytest.mark.parametrize("path", ["facts", "facts/fact:a", "facts/export"])
def test_an_unknown_parameter_is_refused_on_every_route_that_reads(rest: Rest, path: str):
    answer = rest.get(path, owner_id="somebody")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "owner_id")


@pytest.mark.parametrize("path", [*POSTS, "facts/bulk", "facts/import"])
def test_and_on_every_route_that_writes(rest: Rest, path: str):
    answer = rest.lines(path, [live()], owner_id="somebody")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "owner_id")


def test_an_address_that_is_none_answers_as_a_problem(rest: Rest):
    for path in ("nothing", "facts/a/b/c", "../../../etc/passwd"):
        answer = rest.get(path)
        assert answer.status_code == 404
        assert answer["Content-Type"] == "application/problem+json"


def test_a_foreign_host_is_refused(rest: Rest):
    answer = rest.client.get(rest.address("facts"), headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert b"evil.example" not in answer.content


def test_a_method_that_a_route_lacks_says_which_ones_it_has(rest: Rest):
    answer = rest.lines("facts/export", [])
    assert answer.status_code == 405
    assert set(answer["Allow"].split(", ")) >= {"GET"}


def test_head_needs_the_same_right_as_get(north: Any):
    rest = seat(north)
    rest.written()
    blind = seat(north, verbs=("facts:write",))

    assert rest.client.head(rest.address("facts")).status_code == 200
    for path in ("facts", "facts/export", "facts/fact:nowhere"):
        assert blind.client.head(blind.address(path)).status_code == blind.get(path).status_code == 403


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer kndl_seat_guess",
        "Basic a25kbA==",
        "Bearer \u00e9",
        "kndl_seat_x",
        "Bearer x\0y",
    ],
)
def test_nobody_is_answered_the_same_whatever_they_send(rest: Rest, header: str):
    answer = Client(headers={"Authorization": header}).get(rest.address("facts"))
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Bearer")
    assert "facts" not in answer.json()


def test_a_token_stops_the_moment_it_is_revoked_or_expires(north: Any):
    for change in ({"revoked_at": now()}, {"expires_at": now() - timedelta(microseconds=1)}):
        token = make_seat_token(north)
        rest = bearer(token)
        assert rest.get("facts").status_code == 200
        SeatToken.objects.filter(hint=token[:14], revoked_at=None, expires_at=None).update(**change)
        assert rest.get("facts").status_code == 401
        assert rest.post("facts", live()).status_code == 401


def test_a_browser_session_writes_only_with_its_csrf_token(new_space: Any):
    ann = make_user("ann")
    Membership.objects.create(space=new_space("south"), user=ann, role=Membership.Role.MEMBER)
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)
    rest = Rest(client, "south")
    address = "/api/v1/spaces/south/facts?scope=shared"

    assert rest.get("facts", scope="shared").status_code == 200
    assert rest.post("facts", live(), query={"scope": "shared"}).status_code == 403
    client.get("/spaces/south/facts/new?scope=shared")
    secret = client.cookies[settings.CSRF_COOKIE_NAME].value
    foreign = {"X-CSRFToken": secret, "Origin": "https://elsewhere.example"}
    assert client.post(address, live(), content_type="application/json", headers=foreign).status_code == 403
    assert rest.get("facts", scope="shared").json()["facts"] == []
    made = client.post(address, live(), content_type="application/json", headers={"X-CSRFToken": secret})
    assert made.status_code == 201, made.content
