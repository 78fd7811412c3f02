"""Words that stand in no dictionary, one for each place where somebody can write of a patient."""

from typing import Any

from tests.phi.patients import consent
from tests.rest.client import Rest

# What a fact says, and what only those who govern a Space may see of a consent.
SAID = {
    name: f"qzx{name}wvk"
    for name in ("statement", "predicate", "object", "source", "extra", "key", "file", "type", "rule")
}
WHOSE = {name: f"qzx{name}wvk" for name in ("subject", "evidence", "giver")}
EVERY = tuple(SAID.values()) + tuple(WHOSE.values())
SUBJECT = f"patient:{WHOSE['subject']}"
CONSENT = "consent:marked"


def marked_fact(fact_id: str, **fields: Any) -> dict[str, Any]:
    """A PHI fact that has a marker wherever it can say something."""
    return {
        "@context": f"./{SAID['type']}.jsonld",
        "@id": fact_id,
        "@type": ["Fact", SAID["type"]],
        "statement": f"The finding is {SAID['statement']} again",
        "subject": SUBJECT,
        "predicate": SAID["predicate"],
        "object": {SAID["object"]: [SAID["object"]]},
        "confidence": 0.9,
        "source": f"https://clinic.example/{SAID['source']}",
        "recordedAt": "2026-01-01T00:00:00Z",
        "validFrom": "2026-01-01T00:00:00Z",
        "inference": f"rule:{SAID['rule']}",
        "classification": "phi",
        "consent": CONSENT,
        SAID["key"]: SAID["extra"],
        "kndl:file": f"facts/{SAID['file']}-{fact_id.removeprefix('fact:')}.fact.json",
    } | fields


def plant(rest: Rest) -> None:
    """PHI facts, two of which contradict each other, a live one, and their consent, all with markers."""
    consent(
        rest,
        name=CONSENT,
        subject=SUBJECT,
        purposes=["treatment"],
        granted_by=f"human://{WHOSE['giver']}",
        evidence=f"form {WHOSE['evidence']}",
    )
    rest.imported(
        marked_fact("fact:m0", predicate="other"),
        marked_fact("fact:m1", decay="0.5/400d"),
        marked_fact("fact:m2", object=SAID["object"], derivedFrom=["fact:m1"], retention="P1D"),
        marked_fact("fact:m3", predicate="other", supersedes="fact:m0", recordedAt="2026-01-02T00:00:00Z"),
    )
    live = marked_fact("fact:m4", predicate="live", object=SAID["object"])
    for name in ("@id", "recordedAt", "kndl:file"):
        del live[name]
    answer = rest.post("facts", live, Idempotency_Key="marked")
    assert answer.status_code == 201, answer.content


def found_in(text: str | bytes) -> set[str]:
    """The markers that a text holds, whatever their case."""
    folded = (text.decode("utf-8", "replace") if isinstance(text, bytes) else text).casefold()
    return {marker for marker in EVERY if marker in folded}
