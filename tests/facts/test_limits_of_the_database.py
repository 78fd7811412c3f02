"""What the rules of a fact allow, the database holds: the longest values in the widest characters, at once."""

import random
from typing import Any

import pytest

from tests.rest.client import Rest, live


def wide(length: int, seed: int) -> str:
    """Text of that many characters of four bytes each, which do not compress."""
    chosen = random.Random(seed)
    return "".join(chr(chosen.randrange(0x20000, 0x2A6D0)) for _ in range(length))


def test_the_longest_subject_predicate_and_ids_together(rest: Rest):
    old = rest.written(**{"@id": "fact:" + wide(500, 1)})["@id"]
    made = rest.written(
        **{"@id": "fact:" + wide(500, 2)}, subject=wide(500, 3), predicate=wide(500, 4), supersedes=old,
        derivedFrom=[old], inference=wide(500, 5), statement=wide(4_000, 6),
    )  # fmt: skip
    assert rest.ids(subject=made["subject"], predicate=made["predicate"]) == [made["@id"]]
    assert rest.get(f"facts/{old}").json()["superseded_by"] == made["@id"]
    assert rest.ids(text=made["statement"][:20]) == [made["@id"]]


@pytest.mark.parametrize("consent", ["consent:\0", "consent:nowhere", "x" * 600])
@pytest.mark.parametrize("act", ["withdraw", "narrow"])
def test_a_consent_that_is_not_there_is_not_found(rest: Rest, consent: str, act: str):
    assert rest.post(f"consents/{consent}/{act}", {"purposes": ["care"]}).status_code == 404


@pytest.mark.parametrize("number", [-1, 2**31, 2**63, 10**30])
def test_a_number_that_no_row_has_breaks_nothing(rest: Rest, number: int):
    facts = [rest.written(subject="s", predicate="p", object=value)["@id"] for value in (1, 2)]
    answer = rest.post(
        "contradictions/decisions", {"facts": facts, "decision": "dismiss", "reason": "x", "reopens": number}
    )
    assert answer.status_code < 500


@pytest.mark.parametrize("instant", ["0001-01-01", "9999-12-31T23:59:59.999999Z"])
def test_the_first_and_the_last_instant_can_be_asked_about_and_stated(rest: Rest, instant: str):
    body: dict[str, Any] = live(validFrom=instant, decay="0.5/1ns", observedAt=instant)
    assert rest.post("facts", body).status_code == 201
    for query in ({"as_of": instant}, {"valid_at": instant}, {"as_of": instant, "order": "confidence"}):
        assert rest.get("facts", **query).status_code == 200
    assert rest.get("contradictions", as_of=instant).status_code == 200
