import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import Invalid
from common.jsonio import dumps, loads
from memory.facts.rules.document import CONTEXT_ADDRESS
from memory.facts.rules.record import ABSENT, as_document, record_from_import

LEAST = {
    "@id": "fact:kettle-2",
    "statement": "The kettle in kitchen 2 is broken",
    "confidence": 0.8,
    "source": "human://ines",
    "recordedAt": "2026-04-23T10:00:00Z",
}
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
VISIBLE = TEXT.map(lambda text: "x" + text)
NUMBERS = st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
IDS = st.sampled_from(["fact:a", "fact:b:c-20260423T100000Z-1", "fact:e\u0301", "fact:\u00e9", "fact:日本"])
SPELLINGS = st.sampled_from(
    ["T10:00:00Z", "T10:00Z", "T10:00:00.000Z", "t10:00:00z", "T12:00:00+02:00", "T10:00:00.123456789Z", ""]
)
YEARS = st.integers(2020, 2029)
# Names of attributes are no names of fields in a document: such keys are kept like any other unknown one.
UNKNOWN = TEXT.map("x-{}".format) | st.sampled_from(["id", "type", "valid_from", "context", "model_extra", "__class__"])
TIMES = st.builds(lambda year, rest: f"{year}-04-23{rest}", YEARS, SPELLINGS)
OPTIONAL = {
    "@type": st.sampled_from(["Fact", "Claim"]) | st.lists(VISIBLE, min_size=1, max_size=2),
    "@context": st.sampled_from(["./context/v1.jsonld", "../../context/v1.jsonld", CONTEXT_ADDRESS]),
    "subject": VISIBLE,
    "predicate": VISIBLE,
    "negated": st.booleans(),
    "decay": st.sampled_from(["0.5/30d", "0.50/030d"]),
    "recordedAt": TIMES,
    "validFrom": TIMES,
    "validUntil": st.builds("{}-01-01{}".format, st.integers(2031, 2039), SPELLINGS),
    "observedAt": TIMES,
    "supersedes": IDS,
    "derivedFrom": st.lists(IDS, max_size=4),
    "inference": st.just("rule:1"),
    "classification": st.sampled_from(["PII", "pii", "Internal", "PUBLIC"]),
    "consent": st.just("consent:1"),
    "retention": st.sampled_from(["P7Y", "PT36H", "2030-01-01", "2030-01-01T00:00:00+01:00"]),
    "tenant": VISIBLE,
}
DOCUMENTS = st.builds(
    lambda required, optional, unknown, value: unknown | value | required | optional,
    st.fixed_dictionaries(
        {
            "@id": st.sampled_from(["fact:kettle-2", "fact:ke\u0301ttle", "fact:KETTLE"]),
            "statement": VISIBLE,
            "confidence": st.sampled_from([0, 1, 0.0, 1.0, 0.95, 1e-9]),
            "source": st.sampled_from(["human://ines", "https://example.com/?q=1", "urn:x:1"]),
        }
    ),
    st.fixed_dictionaries({}, optional={key: st.none() | values for key, values in OPTIONAL.items()}),
    st.dictionaries(UNKNOWN, VALUES, max_size=3),
    st.fixed_dictionaries({}, optional={"object": VALUES}),
)
ARRIVAL = datetime(2026, 6, 1, tzinfo=UTC)


def exactly(value: Any) -> str:
    """A document's text with its keys in order: tells 1 from 1.0 and from true."""
    return json.dumps(value, sort_keys=True)


@given(DOCUMENTS)
def test_an_untouched_import_is_exported_as_it_came(document: dict[str, Any]):
    record = record_from_import(document, ARRIVAL)

    assert exactly(as_document(record)) == exactly(document)
    assert exactly(as_document(record, "../context/v1.jsonld")) == exactly(document)


@given(DOCUMENTS)
def test_the_record_survives_being_stored_as_json(document: dict[str, Any]):
    record = record_from_import(loads(dumps(document)), ARRIVAL)

    assert loads(dumps(record.spelling)) == record.spelling
    assert loads(dumps(record.extra)) == record.extra


@given(DOCUMENTS)
def test_the_spelling_repeats_nothing_that_a_phi_fact_has_encrypted(document: dict[str, Any]):
    record = record_from_import(document, ARRIVAL)
    given_again = {key for key, value in record.spelling.get("given", {}).items() if value is not None}

    assert not given_again & {"statement", "subject", "predicate", "object", "source", *record.extra}


def test_an_import_keeps_its_own_id_and_times():
    record = record_from_import(LEAST | {"validFrom": "2026-04-01"})

    assert record.id == "fact:kettle-2"
    assert record.recorded_at == datetime(2026, 4, 23, 10, tzinfo=UTC)
    assert record.valid_from == datetime(2026, 4, 1, tzinfo=UTC)
    assert (record.type, record.negated, record.object, record.derived_from) == ("Fact", False, ABSENT, [])


def test_values_are_brought_to_one_form_for_the_columns():
    record = record_from_import(
        LEAST
        | {
            "@id": "fact:e\u0301",
            "classification": "pii",
            "validUntil": "2026-04-23T13:00:00+02:00",
            "derivedFrom": ["fact:a", "fact:b", "fact:a"],
            "confidence": 1,
        }
    )

    assert (record.id, record.classification, record.derived_from) == ("fact:\u00e9", "PII", ["fact:a", "fact:b"])
    assert record.valid_until == datetime(2026, 4, 23, 11, tzinfo=UTC)
    assert isinstance(record.confidence, float)


def test_a_document_without_recorded_at_takes_that_of_its_import_and_is_not_given_one():
    document = {key: value for key, value in LEAST.items() if key != "recordedAt"}
    record = record_from_import(document, ARRIVAL)

    assert record.recorded_at == record.valid_from == ARRIVAL
    assert as_document(record) == document

    with pytest.raises(Invalid, match="recordedAt is required"):
        record_from_import(document)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"@id": None}, "@id"),
        ({"@id": "mem:1"}, "@id"),
        ({"recordedAt": "2026-04-23T10:00:00"}, "recordedAt"),
        ({"confidence": "0.8"}, "confidence"),
        ({"classification": "PHI"}, "consent"),
        ({"supersedes": "fact:kettle-2"}, "supersedes"),
        ({"validUntil": "2026-04-23T10:00:00Z"}, "validUntil"),
        ({"retention": "P1X"}, "retention"),
        ({"@context": "https://example.com/context.jsonld"}, "@context"),
    ],
)
def test_a_bad_document_is_refused_by_field(fields: dict[str, Any], named: str):
    with pytest.raises(Invalid) as refusal:
        record_from_import(LEAST | fields)

    assert [error.field for error in refusal.value.errors] == [named]


def test_an_import_needs_an_id():
    with pytest.raises(Invalid, match="@id is required"):
        record_from_import({key: value for key, value in LEAST.items() if key != "@id"})
