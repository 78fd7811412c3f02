"""A patient's memory folder: imported while its consent is pending, shown once it is recorded, exported as it came."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.phi.patients import consent
from tests.rest.client import Rest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "kndl-memory-folders" / "clinical"
FILES = sorted(FOLDER.glob("*.fact.json"))
CONSENT = "consent:patient-9001-care-team-2026"
PATIENT = "patient:9001"
WORDS = ("metformin", "diabetes", "hba1c", "penicillin", "9001")

pytestmark = pytest.mark.skipif(not FILES, reason="the handed folders are not here")


def documents() -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in FILES]


def lines() -> list[dict[str, Any]]:
    return [document | {"kndl:file": file.name} for file, document in zip(FILES, documents(), strict=True)]


def everything(rest: Rest, purpose: str | None) -> str:
    """All that the reads of the scope say, but for the ids which the reader must name to ask."""
    asked: list[tuple[str, dict[str, str]]] = [
        ("facts", {"include_superseded": "true", "include_expired": "true"}),
        ("facts", {"subject": PATIENT}),
        ("facts", {"text": "metformin"}),
        ("contradictions", {}),
        ("facts/export", {}),
        ("predicates", {}),
        *((f"facts/{document['@id']}", {}) for document in documents()),
        *((f"facts/{document['@id']}/provenance", {}) for document in documents()),
    ]
    answers = (rest.get(path, purpose=purpose, **query) for path, query in asked)
    said = (answer.getvalue() if answer.streaming else answer.content for answer in answers)
    return b"".join(said).decode().casefold()


def test_it_imports_with_its_consent_pending_and_shows_nothing_of_the_patient(rest: Rest):
    assert rest.imported(*lines())["imported"] == len(FILES)
    assert rest.imported(*lines()) == {"imported": 0, "unchanged": len(FILES), "errors": []}
    for purpose in (None, "care", "treatment"):
        assert not [word for word in WORDS if word in everything(rest, purpose)]


def test_everything_is_there_with_the_purpose_once_the_consent_is_recorded_and_nothing_after_withdrawal(rest: Rest):
    rest.imported(*lines())
    consent(rest, name=CONSENT, subject=PATIENT, purposes=["care"])
    assert all(word in everything(rest, "care") for word in WORDS)
    assert len(rest.ids(purpose="care", include_superseded="true")) == len(FILES)
    for purpose in (None, "billing", "astrology"):
        assert not [word for word in WORDS if word in everything(rest, purpose)]

    rest.post(f"consents/{CONSENT}/withdraw", {})
    assert not [word for word in WORDS if word in everything(rest, "care")]


def test_its_export_differs_in_nothing_but_white_space_and_the_order_of_keys(rest: Rest):
    rest.imported(*lines())
    consent(rest, name=CONSENT, subject=PATIENT, purposes=["care"])
    exported = {document.pop("kndl:file"): document for document in rest.exported(purpose="care")}
    assert exported == {file.name: document for file, document in zip(FILES, documents(), strict=True)}
