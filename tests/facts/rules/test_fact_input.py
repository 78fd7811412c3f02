from datetime import UTC, datetime
from typing import Any

import pytest

from common.errors import Invalid, TooLarge
from common.strict import validated
from memory.facts.rules.document import FactInput
from memory.facts.rules.record import ABSENT, FactRecord, as_document, record_from_input

NOON = datetime(2026, 4, 23, 10, tzinfo=UTC)
UNIQUE = "0123456789abcdef"
LEAST = {"statement": "The kettle in kitchen 2 is broken", "confidence": 0.8, "source": "human://ines"}


REFUSED: dict[str, list[Any]] = {
    "statement": [..., None, "", "  ", "\u200b", 1, "x" * 4001, "a\0b", "\ud800"],
    "confidence": [..., None, True, "0.9", 1.5, -0.1, float("nan")],
    "source": [..., None, "", "somewhere", "human://", 1, "urn:a b", "urn:" + "x" * 2000],
    "subject": ["", " ", 1, "x" * 501, "a\0"],
    "predicate": ["", ["p"], "x" * 501],
    "negated": ["maybe", 1, 0, "true"],
    "decay": ["0.5/0d", "1/30d", 0.5, "", {"rate": 0.5}],
    "validFrom": ["2026-05-01T00:00:00", "2026-02-30", 1777000000, True],
    "validUntil": ["2026-04-23T10:00:00Z", "2020-01-01", "soon"],
    "observedAt": ["yesterday", 0],
    "recordedAt": ["2026-04-23T10:00:00Z", 1],
    "supersedes": ["kettle", "fact:", "fact:a/b", ["fact:a"], 1],
    "derivedFrom": ["fact:a", ["fact:a", "fact:a"], {"fact:a": 1}],
    "inference": ["", "a b", 1, "x" * 501],
    "classification": ["HIV-STATUS", "", " PHI", 1, "PHI", "phi"],
    "consent": ["", "a b", 1],
    "retention": ["-P1D", "P0D", "seven years", 7],
    "tenant": ["", 1],
    "@id": ["kettle", "fact:", "fact:a b", 1],
    "@type": ["", [], [1], {}, ["x"] * 21],
    "@context": ["https://example.com/v1.jsonld", "//example.com/x", "file:///x", "", {}, []],
    "object": ["a\0b", "\ud800", float("inf"), {1, 2}, "x" * 65536],
}


def written(**fields: Any) -> FactRecord:
    return record_from_input(validated(FactInput, LEAST | fields), NOON, UNIQUE)


def refused(fields: dict[str, Any]) -> list[str]:
    said = {key: value for key, value in (LEAST | fields).items() if value is not ...}
    with pytest.raises(Invalid) as refusal:
        record_from_input(validated(FactInput, said), NOON, UNIQUE)
    return [error.field for error in refusal.value.errors]


def test_the_least_that_can_be_written_gets_an_id_a_type_and_its_times():
    assert as_document(written()) == LEAST | {
        "@id": "fact:20260423t100000z-bcf15012" + UNIQUE,
        "@type": "Fact",
        "recordedAt": "2026-04-23T10:00:00Z",
        "validFrom": "2026-04-23T10:00:00Z",
    }


def test_everything_that_was_said_is_in_the_document():
    said = {
        "@id": "fact:kettle-2",
        "@type": ["Fact", "Defect"],
        "@context": "../context/v1.jsonld",
        "subject": "kettle:2",
        "predicate": "works",
        "object": {"since": [1, None]},
        "negated": True,
        "decay": "0.5/30d",
        "validFrom": "2026-04-01T00:00:00Z",
        "validUntil": "2026-05-01T00:00:00Z",
        "observedAt": "2026-04-02T08:30:00.500000Z",
        "supersedes": "fact:kettle-1",
        "derivedFrom": ["fact:a", "fact:b"],
        "inference": "rule:seen-twice",
        "classification": "INTERNAL",
        "consent": "consent:1",
        "retention": "P1M",
        "tags": ["kitchen"],
    }
    record = written(**said)

    assert as_document(record) == LEAST | said | {"recordedAt": "2026-04-23T10:00:00Z"}
    assert (record.decay_rate, record.decay_window) == (0.5, 30 * 86400)
    assert record.retention_at == datetime(2026, 5, 23, 10, tzinfo=UTC)
    assert record.extra == {"tags": ["kitchen"]}


def test_what_is_spelt_otherwise_is_brought_to_one_form():
    said = {"@id": "fact:e\u0301", "validFrom": "2026-04-23T12:00+02:00", "classification": "pii", "negated": False}
    document = as_document(written(**said))

    assert document["@id"] == "fact:\u00e9"
    assert document["validFrom"] == "2026-04-23T10:00:00Z"
    assert document["classification"] == "PII"
    assert "negated" not in document


@pytest.mark.parametrize(
    "field",
    [
        *["@id", "@type", "@context", "subject", "predicate", "negated", "decay", "recordedAt", "validFrom"],
        *["validUntil", "observedAt", "supersedes", "derivedFrom", "inference", "classification", "consent"],
        *["retention", "tenant"],
    ],
)
def test_a_null_is_the_same_as_not_given(field: str):
    assert written(**{field: None}) == written()


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}])
def test_every_json_value_is_an_object_a_fact_can_have(value: object):
    document = as_document(written(object=value))

    assert document["object"] is value


def test_a_fact_without_an_object_has_none():
    assert written().object is ABSENT
    assert "object" not in as_document(written())


def test_an_export_names_the_context_where_the_fact_names_none():
    assert as_document(written(), "../context/v1.jsonld")["@context"] == "../context/v1.jsonld"
    assert as_document(written(**{"@context": "v1.jsonld"}), "../context/v1.jsonld")["@context"] == "v1.jsonld"


def test_the_made_id_of_a_phi_fact_tells_nothing_of_it():
    record = written(subject="patient:1", classification="phi", consent="consent:1")

    assert record.id == "fact:phi-" + UNIQUE


@pytest.mark.parametrize(("field", "value"), [(field, value) for field in REFUSED for value in REFUSED[field]])
def test_a_refusal_names_its_field(field: str, value: object):
    named = "consent" if value in ("PHI", "phi") else field

    assert refused({field: value}) == [named]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"derivedFrom": ["fact:a", "b"]}, "derivedFrom.1"),
        ({"derivedFrom": [f"fact:{number}" for number in range(1001)]}, "derivedFrom"),
        ({"object": {"a": ["\ud800"]}}, "object.a.0"),
        ({"notes": "a\0b"}, "notes"),
        ({"@id": "fact:a", "supersedes": "fact:a"}, "supersedes"),
        ({"validFrom": "2026-05-02", "validUntil": "2026-05-01"}, "validUntil"),
        ({"validFrom": "2026-05-01", "validUntil": "2026-05-01"}, "validUntil"),
    ],
)
def test_a_fault_inside_or_between_fields_is_named_too(fields: dict[str, Any], path: str):
    assert refused(fields) == [path]


def test_all_faults_are_told_at_once():
    assert refused({"confidence": 2, "source": "", "negated": 1}) == ["negated", "confidence", "source"]
    assert refused({"classification": "PHI", "validUntil": "2020-01-01", "retention": "P"}) == [
        "validUntil",
        "consent",
        "retention",
    ]


def test_an_object_may_fill_its_limit():
    assert written(object="x" * (65536 - 2)).object == "x" * (65536 - 2)


def test_a_document_beyond_its_limit_is_too_large():
    with pytest.raises(TooLarge):
        written(notes="x" * 256 * 1024)


def test_an_integer_of_too_many_digits_is_refused():
    assert refused({"object": 10**4300}) == ["object"]


def test_an_object_nested_too_deeply_is_refused():
    deep: Any = 0
    for _ in range(64):
        deep = [deep]

    assert refused({"object": deep}) == ["object.0.0.0.0.0.0.0"]


@pytest.mark.parametrize("data", [None, [], "x", 1, [LEAST]])
def test_what_is_no_object_is_no_fact(data: object):
    with pytest.raises(Invalid, match="must be an object"):
        validated(FactInput, data)
