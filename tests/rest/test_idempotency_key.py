"""`Idempotency-Key`: a write that is sent again is answered again and done once."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from audit.models import AuditRow, IdempotencyKey
from common.times import now
from spaces.databases.entering import entered
from tests.actors import make_seat_token
from tests.rest.client import Rest, bearer, live, seat


def test_the_same_request_again_gets_the_same_fact(rest: Rest):
    first = rest.post("facts", live(), Idempotency_Key="k1")
    again = rest.post("facts", live(), Idempotency_Key="k1")

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"
    assert len(rest.listed()) == 1


def test_the_same_key_for_another_body_is_a_conflict(rest: Rest):
    rest.post("facts", live(), Idempotency_Key="k1")
    answer = rest.post("facts", live(statement="another"), Idempotency_Key="k1")

    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_key_reused")
    assert len(rest.listed()) == 1


def test_the_same_key_for_another_address_is_a_conflict(rest: Rest):
    old = rest.post("facts", live(), Idempotency_Key="k1").json()["@id"]
    assert rest.post(f"facts/{old}/supersede", live(), Idempotency_Key="k1").status_code == 409


def test_another_key_or_none_writes_again(rest: Rest):
    rest.post("facts", live(), Idempotency_Key="k1")
    rest.post("facts", live(), Idempotency_Key="k2")
    rest.post("facts", live())
    assert len(rest.listed()) == 3


def test_two_seats_can_use_the_same_key(rest: Rest, north: Any):
    rest.post("facts", live(), Idempotency_Key="k1")
    answer = seat(north).post("facts", live(), Idempotency_Key="k1")

    assert "Idempotent-Replayed" not in answer
    assert len(rest.listed()) == 2


def test_the_key_of_a_refused_write_is_free_again(rest: Rest):
    taken = live(**{"@id": "fact:taken"})
    rest.post("facts", taken)
    assert rest.post("facts", taken, Idempotency_Key="k1").status_code == 409
    assert rest.post("facts", live(), Idempotency_Key="k1").status_code == 201


def test_a_superseding_write_can_be_repeated(rest: Rest):
    old = rest.written()["@id"]
    first = rest.post(f"facts/{old}/supersede", live(), Idempotency_Key="k1")
    again = rest.post(f"facts/{old}/supersede", live(), Idempotency_Key="k1")

    assert (again.status_code, again.json()["@id"]) == (201, first.json()["@id"])


def test_consents_take_the_key_as_well(rest: Rest):
    body = {"subject": "customer:1", "purposes": ["care"], "granted_by": "human://customer"}
    first = rest.post("consents", body, Idempotency_Key="k1")
    assert rest.post("consents", body, Idempotency_Key="k1").json() == first.json()


def test_a_repeated_answer_is_on_record_as_such(rest: Rest, north: Any):
    made = rest.post("facts", live(), Idempotency_Key="k1").json()["@id"]
    rest.post("facts", live(), Idempotency_Key="k1")
    with entered(north) as here:
        rows = AuditRow.objects.using(here.alias).order_by("sequence").values_list("act", "object")
    assert list(rows) == [("fact.write", made), ("write.replayed", made)]


def test_a_key_is_forgotten_after_a_day(rest: Rest, north: Any):
    rest.post("facts", live(), Idempotency_Key="k1")
    with entered(north) as here:
        IdempotencyKey.objects.using(here.alias).update(made_at=now() - timedelta(hours=24, seconds=1))

    assert "Idempotent-Replayed" not in rest.post("facts", live(), Idempotency_Key="k1")
    assert len(rest.listed()) == 2


@pytest.mark.parametrize("key", ["", "x" * 256, "naïve", "a\tb"])
def test_a_key_that_is_none_is_refused_by_name(rest: Rest, key: str):
    answer = rest.post("facts", live(), Idempotency_Key=key)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "Idempotency-Key")
    assert rest.listed() == []


def test_two_at_once_write_one_fact(committed_db: None, new_space: Any):
    token = make_seat_token(new_space("north"))
    start, answers = threading.Barrier(6), []

    def write() -> None:
        caller = bearer(token)
        start.wait()
        try:
            answers.append(caller.post("facts", live(), Idempotency_Key="k1"))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["@id"] for answer in answers}) == 1
    assert sum("Idempotent-Replayed" in answer for answer in answers) == 5
    assert len(bearer(token).listed()) == 1
