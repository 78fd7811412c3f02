"""One fact in the place of another: once, in one line, and whoever is late is told the winner."""

import threading
from collections import Counter
from typing import Any

import pytest
from django.db import connections

from tests.actors import make_seat_token
from tests.rest.client import Rest, bearer, live


def test_the_address_says_what_is_superseded(rest: Rest):
    old = rest.written(object=720)
    answer = rest.post(f"facts/{old['@id']}/supersede", live(object=740))

    assert answer.status_code == 201
    assert answer.json()["supersedes"] == old["@id"]
    assert rest.get(f"facts/{old['@id']}").json()["superseded_by"] == answer.json()["@id"]


def test_the_old_fact_itself_is_not_changed_by_that(rest: Rest):
    old = rest.written(validFrom="2026-01-01T00:00:00Z", object=720)
    rest.post(f"facts/{old['@id']}/supersede", live(object=740))

    judged = {"superseded_by": rest.ids()[0]}
    assert rest.get(f"facts/{old['@id']}").json() == old | judged


def test_the_body_may_name_the_old_fact_but_no_other(rest: Rest):
    old, other = rest.written()["@id"], rest.written()["@id"]
    assert rest.post(f"facts/{old}/supersede", live(supersedes=old)).status_code == 201
    answer = rest.post(f"facts/{other}/supersede", live(supersedes=old))
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "supersedes")


@pytest.mark.parametrize("name", ["fact:nowhere", "fact:a%b", "fact:\0", "thing", "bulk", "export"])
def test_superseding_what_is_not_there_is_not_found(rest: Rest, name: str):
    assert rest.post(f"facts/{name}/supersede", live()).status_code == 404
    assert rest.listed() == []


def test_the_second_to_supersede_a_fact_is_told_who_was_first(rest: Rest):
    old = rest.written()["@id"]
    winner = rest.post(f"facts/{old}/supersede", live()).json()["@id"]

    for late in (rest.post(f"facts/{old}/supersede", live()), rest.post("facts", live(supersedes=old))):
        assert late.status_code == 409
        assert (late.json()["code"], late.json()["winner"]) == ("already_superseded", winner)
    assert rest.ids(include_superseded="true") == [winner, old]


def test_a_superseding_fact_can_be_superseded_in_turn(rest: Rest):
    first = rest.written()["@id"]
    second = rest.post(f"facts/{first}/supersede", live()).json()["@id"]
    third = rest.post(f"facts/{second}/supersede", live()).json()["@id"]

    assert rest.ids() == [third]


def test_of_twenty_writers_at_once_one_wins_and_the_others_learn_who(committed_db: None, new_space: Any):
    token = make_seat_token(new_space("north"))
    rest = bearer(token)
    old = rest.written()["@id"]
    start, answers = threading.Barrier(20), []

    def write(number: int) -> None:
        caller = bearer(token)
        start.wait()
        try:
            answers.append(caller.post(f"facts/{old}/supersede", live(object=number)))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 19}
    (winner,) = [answer.json()["@id"] for answer in answers if answer.status_code == 201]
    assert {answer.json()["winner"] for answer in answers if answer.status_code == 409} == {winner}
    assert rest.ids() == [winner]
