"""Export: what was imported comes out as it went in, and what was written here as a file of its own."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.actors import make_scope
from tests.rest.client import NDJSON, Rest, seat, stored

FOLDERS = Path(__file__).resolve().parents[3] / "shared" / "data" / "kndl-memory-folders"
FILES = [
    pytest.param(files, id=folder.name)
    for folder in sorted(FOLDERS.glob("*"))
    if (files := sorted(folder.glob("**/*.fact.json"))) and not any('"PHI"' in file.read_text() for file in files)
] or [pytest.param([], marks=pytest.mark.skip(reason="the shared memory folders are not here"))]


def exactly(value: Any) -> str:
    """JSON text that is equal only for equal values of equal types, whatever the order of keys."""
    return json.dumps(value, sort_keys=True)


def test_an_export_is_a_download_of_json_lines(rest: Rest):
    rest.written()
    answer = rest.get("facts/export")
    assert answer["Content-Type"] == NDJSON
    assert answer["Content-Disposition"] == 'attachment; filename="north.facts.jsonl"'
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_an_imported_document_comes_out_as_it_went_in(rest: Rest):
    document = stored(
        "a", recordedAt="2026-01-01T02:00:00.5+02:00", validFrom="2026-01-01", negated=False, confidence=1,
        classification="pii", derivedFrom=[], tenant="shared",
        **{"@context": "../context/v1.jsonld", "@type": ["Fact"], "kndl:file": "a.fact.json"},
        **{"x:1": {"b": 1.0, "a": [0, None, 1e300]}, "object": None},
    )  # fmt: skip
    rest.imported(document)
    assert [exactly(line) for line in rest.exported()] == [exactly(document)]


def test_a_fact_written_here_gets_a_file_of_its_own_and_the_context(rest: Rest):
    made = rest.written(subject="customer:1", predicate="score", object=720)
    (line,) = rest.exported()

    assert line.pop("kndl:file") == f"facts/{made['@id'].replace(':', '-')}.fact.json"
    assert line.pop("@context") == "./context/v1.jsonld"
    assert "effective_confidence" not in line
    assert line == {name: made[name] for name in line}


def test_facts_whose_files_would_bear_one_name_get_two(rest: Rest):
    rest.imported(stored("a:b"), stored("a-b"), stored("A-b"), stored("x", **{"kndl:file": "facts/fact-a-b.fact.json"}))
    names = [line["kndl:file"].casefold() for line in rest.exported()]
    assert len(set(names)) == 4


def test_superseded_and_expired_facts_are_exported_too_in_the_order_they_came(rest: Rest):
    rest.imported(stored("z"), stored("new", supersedes="fact:z"), stored("a", validUntil="2026-01-02T00:00:00Z"))
    assert [line["@id"] for line in rest.exported()] == ["fact:z", "fact:new", "fact:a"]


def test_an_export_is_of_one_scope(rest: Rest, north: Any):
    rest.written()
    other = seat(north, scope=make_scope(north, "annex"), reads_shared=True)
    assert rest.get("facts/export", scope="*").status_code == 200
    assert other.get("facts/export", scope="*").status_code == 400
    assert other.exported(scope="annex") == []


def test_an_empty_scope_exports_nothing(rest: Rest):
    assert rest.get("facts/export").getvalue() == b""


def test_an_export_of_more_than_one_piece_is_whole(rest: Rest):
    rest.lines("facts/import", (stored(f"{number:04}") for number in range(2_001)))
    ids = [line["@id"] for line in rest.exported()]
    assert ids == [f"fact:{number:04}" for number in range(2_001)]


@pytest.mark.parametrize("files", FILES)
def test_a_real_folder_comes_out_as_it_went_in(rest: Rest, files: list[Path]):
    documents = [json.loads(file.read_text()) | {"kndl:file": file.name} for file in files]
    rest.imported(*documents, as_scope="true")

    assert sorted(map(exactly, rest.exported())) == sorted(map(exactly, documents))
    assert rest.imported(*documents, as_scope="true")["unchanged"] == len(documents)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
LAST = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
INSTANTS = st.datetimes(max_value=LAST).map(lambda at: at.isoformat() + "Z")
OPTIONAL = {
    "subject": st.just("c:1") | st.none(),
    "object": VALUES,
    "negated": st.booleans() | st.none(),
    "decay": st.sampled_from(["0.5/30d", "0.90/1.50h", None]),
    "validFrom": INSTANTS | st.just("2020-02-29") | st.none(),
    "observedAt": st.sampled_from(["2026-04-01t02:00:00.120+02:00", "2026-04-01"]),
    "classification": st.sampled_from(["pii", "PII", "Internal"]),
    "derivedFrom": st.lists(st.sampled_from(["fact:p", "fact:q"]), max_size=2, unique=True) | st.none(),
    "retention": st.sampled_from(["P7Y", "2030-01-01"]),
    "@type": st.sampled_from(["Fact", ["Fact", "Note"], "Other"]),
    "@context": st.sampled_from(["./context/v1.jsonld", "../x", None]),
    "kndl:file": st.uuids().map(lambda name: f"facts/{name}.fact.json"),
}
DOCUMENTS = st.builds(
    lambda required, optional, own: own | optional | required,
    st.fixed_dictionaries(
        {
            "@id": st.uuids().map("fact:{}".format),
            "statement": TEXT.map(lambda text: "a" + text),
            "confidence": st.sampled_from([0, 1, 0.0, 1.0, 0.1, 1e-300]),
            "source": st.just("human://a"),
            "recordedAt": INSTANTS,
        }
    ),
    st.fixed_dictionaries({}, optional=OPTIONAL),
    st.dictionaries(TEXT.map("x:{}".format), VALUES, max_size=2),
)


def test_any_document_comes_out_as_it_went_in_and_goes_in_only_once(new_space: Callable[..., Any]):
    north, count = new_space("north"), iter(range(1_000))

    @settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(DOCUMENTS, min_size=1, max_size=5, unique_by=lambda document: document["@id"]))
    def comes_out(documents: list[dict[str, Any]]) -> None:
        rest = seat(north, scope=make_scope(north, f"scope {next(count)}"))
        rest.imported(*documents)

        exported = rest.exported()
        for line, document in zip(exported, documents, strict=True):
            if "kndl:file" not in document:
                line.pop("kndl:file")
        assert [exactly(line) for line in exported] == [exactly(document) for document in documents]
        assert rest.imported(*documents) == {"imported": 0, "unchanged": len(documents), "errors": []}

    comes_out()
