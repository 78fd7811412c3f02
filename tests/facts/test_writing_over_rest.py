"""Writing facts through REST."""

from typing import Any

import pytest
from django.db import connections
from django.test import Client

from spaces.databases.entering import entered

FACT = {"statement": "The score is 720", "subject": "customer:1", "predicate": "score", "object": 720,
        "confidence": 0.95, "source": "https://example.test/scores/1"}


def post(api: Client, path: str, body: Any, **headers: str) -> Any:
    return api.post(f"/api/v1/spaces/north/{path}", body, content_type="application/json", headers=headers)


def test_a_written_fact_is_answered_with_what_was_judged_of_it(api: Client) -> None:
    answer = post(api, "facts", FACT)
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert made["@id"].startswith("fact:customer-1:score-")
    assert made["effective_confidence"] == 0.95
    assert made["band"] == "usable"
    assert made["validFrom"] == made["recordedAt"]
