"""The acceptance vectors of the format, played through REST, where they are at hand."""

import re
from typing import Any

import pytest

from tests.actors import make_scope
from tests.facts.rules.test_shared_cases import cases
from tests.rest.client import SOURCE, Rest, live, seat


def about(case: dict[str, Any]) -> dict[str, Any]:
    """The fact that a case about decay describes."""
    document = live(confidence=case["confidence"], decay=case["decay"], validFrom=case["validFrom"], subject="case:1")
    return document | {"@id": "fact:case", "recordedAt": min(case["validFrom"], case["as_of"])}


@cases("decay_table")
def test_the_decay_table(rest: Rest, case: dict[str, Any]):
    test_effective_confidence_and_band(rest, case)


@cases("decay")
def test_effective_confidence_and_band(rest: Rest, case: dict[str, Any]):
    rest.imported(about(case))
    (row,) = rest.listed(subject="case:1", as_of=case["as_of"])

    assert row["effective_confidence"] == pytest.approx(case["effective"], abs=1e-9)
    assert row["band"] == case["band"]


@cases("decay_parse")
def test_which_texts_are_decays(rest: Rest, case: dict[str, Any]):
    assert rest.post("facts", live(decay=case["decay"])).status_code == (201 if case["ok"] else 400)


@cases("query")
def test_a_query(north: Any, rest: Rest, case: dict[str, Any]):
    params, expect = dict(case["params"]), case["expect"]
    if "error" in expect:
        for tenant in {fact["tenant"] for fact in case["facts"]}:
            facts = [fact for fact in case["facts"] if fact["tenant"] == tenant]
            seat(north, scope=make_scope(north, tenant)).imported(*facts)
        # A token is bound to one tenant: none named is its own, and an empty one or another's is an error.
        assert rest.get("facts", **(params | {"tenant": "a"})).status_code == 404
        answer = rest.get("facts", **params)
        assert answer.status_code == 400 if "tenant" in params else answer.json()["facts"] == []
        return
    params.pop("allow_phi", None)
    covered = params.pop("consents", {})
    for fact in case["facts"]:
        if consent := fact.get("consent"):
            body = {"id": consent, "subject": fact["subject"], "purposes": covered.get(consent, ["care"])}
            assert rest.post("consents", body | {"granted_by": "human://subject"}).status_code in {201, 409}
    rest.imported(*case["facts"])

    rows = rest.listed(**params)
    assert sorted(row["@id"] for row in rows) == sorted(expect["ids"])
    values = [row["effective_confidence"] for row in rows]
    assert values == sorted(values, reverse=True)
    for row in rows:
        assert row["effective_confidence"] == pytest.approx(expect["effective"][row["@id"]], abs=1e-9)
        assert row["validity_state"] == expect.get("validity_state", {}).get(row["@id"], row["validity_state"])
    if "include_expired_ids" in expect:
        assert rest.ids(**params, include_expired="true") == expect["include_expired_ids"]


@cases("write")
def test_a_write(rest: Rest, case: dict[str, Any]):
    rest.post("consents", {"id": "consent:c1", "subject": "c:1", "purposes": ["care"], "granted_by": "human://c"})
    bodies, expect = case["body"] if isinstance(case["body"], list) else [case["body"]], case["expect"]
    if len(bodies) == 1 and (taken := bodies[0].get("@id")):
        rest.imported(
            {"@id": taken, "statement": "first", "confidence": 0.5, "source": SOURCE, "recordedAt": "2026-01-01"}
        )
    answers = [rest.post("facts", body) for body in bodies]

    if not expect["ok"]:
        for answer in answers:
            assert answer.status_code in ({expect["status"]} if "status" in expect else {400, 409, 422})
            assert expect.get("field", "") in answer.content.decode()
        return
    made = [answer.json() for answer in answers]
    assert {answer.status_code for answer in answers} == {201}
    assert made[0]["@id"].startswith(expect.get("id_prefix", ""))
    assert re.match(expect.get("id_regex", ""), made[0]["@id"])
    assert not set(expect.get("absent", ())) & made[0].keys()
    assert made[0].get("object") == expect.get("object", made[0].get("object"))
    assert len({fact["@id"] for fact in made}) == len(made)
