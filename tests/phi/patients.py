"""Patients nobody is, and what seats write about them."""

from typing import Any

from tests.rest.client import Rest, live, stored

SUBJECT = "patient:4471"


def consent(rest: Rest, name: str = "consent:c1", subject: str = SUBJECT, **more: Any) -> dict[str, Any]:
    """Give a consent for treatment, or as `more` says; returns the answer."""
    body = {"id": name, "subject": subject, "purposes": ["treatment"], "granted_by": "human://patient"} | more
    answer = rest.post("consents", {key: value for key, value in body.items() if value is not None})
    assert answer.status_code == 201, answer.content
    found: dict[str, Any] = answer.json()
    return found


def phi(**fields: Any) -> dict[str, Any]:
    """A PHI fact as a live write states it."""
    return live(
        **(
            {"statement": "has a rash", "subject": SUBJECT, "predicate": "finding", "object": "rash"}
            | {"classification": "PHI", "consent": "consent:c1"}
            | fields
        )
    )


def stored_phi(name: str, **fields: Any) -> dict[str, Any]:
    """A PHI fact as a memory folder holds it."""
    return stored(name, **({"subject": SUBJECT, "classification": "PHI", "consent": "consent:c1"} | fields))
