"""The acceptance vectors that the makers of the format and of this product agreed on, where they are at hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from common.errors import Invalid
from common.jsonio import loads
from common.strict import validated
from common.times import parse_instant
from memory.facts.rules.confidence import band, effective_confidence
from memory.facts.rules.decay import parse_decay
from memory.facts.rules.document import FactInput
from memory.facts.rules.identifiers import file_name, slug
from memory.facts.rules.record import as_document, record_from_import, record_from_input
from memory.facts.rules.retention import due

SHARED = Path(__file__).resolve().parents[4] / "shared"
FACTS: dict[str, Any] = {}
BAD_INPUTS: list[dict[str, Any]] = []
if (SHARED / "cases").is_dir():
    FACTS = json.loads((SHARED / "cases" / "facts.json").read_text())
    BAD_INPUTS = json.loads((SHARED / "cases" / "bad_inputs.json").read_text())
FOLDERS = sorted((SHARED / "data" / "kndl-memory-folders").glob("**/*.fact.json"))

# The vectors have what another program does with other scripts than Latin; our specification keeps their letters.
OUR_SLUGS = {"Ünïcode—x": "ünïcode-x", "日本": "日本"}

BODY = {"statement": "x", "confidence": 0.9, "source": "human://a", "validFrom": "2026-01-01T00:00:00Z"}
NOON = parse_instant("2026-04-23T10:00:00Z")


def cases(group: str) -> Any:
    found = FACTS.get(group, [])
    marks = () if found else pytest.mark.skip(reason="the shared cases are not here")
    return pytest.mark.parametrize("case", found or [pytest.param({}, marks=marks)], ids=lambda case: case.get("id"))


@cases("decay_table")
def test_the_decay_table(case: dict[str, Any]):
    test_effective_confidence_and_band(case)


@cases("decay")
def test_effective_confidence_and_band(case: dict[str, Any]):
    decay = parse_decay(case["decay"]) if case["decay"] else None
    valid_from, as_of = parse_instant(case["validFrom"]), parse_instant(case["as_of"])
    effective = effective_confidence(case["confidence"], decay, valid_from, as_of)

    assert effective == pytest.approx(case["effective"], abs=1e-9)
    assert band(effective) == case["band"]


@cases("decay_parse")
def test_which_texts_are_decays(case: dict[str, Any]):
    if case["ok"]:
        assert parse_decay(case["decay"]).text == case["decay"]
    else:
        with pytest.raises(ValueError, match="must"):
            parse_decay(case["decay"])


@cases("slug")
def test_slugs(case: dict[str, Any]):
    assert slug(case["in"]) == OUR_SLUGS.get(case["in"], case["out"])


@cases("filename")
def test_file_names(case: dict[str, Any]):
    assert file_name(case["id"]) == case["file"]


@cases("retention")
def test_retention(case: dict[str, Any]):
    recorded_at = parse_instant(case.get("recordedAt", "2026-01-01"))
    if "due" in case:
        assert due(recorded_at, case["retention"]) == parse_instant(case["due"])
    else:
        with pytest.raises(ValueError, match="must"):
            due(recorded_at, case["retention"])


@cases("write")
def test_writes(case: dict[str, Any]):
    expected = case["expect"]
    bodies = case["body"] if isinstance(case["body"], list) else [case["body"]]
    if not expected["ok"]:
        with pytest.raises(Invalid) as refusal:
            record_from_input(validated(FactInput, bodies[0]), NOON, "0")
        assert [error.field for error in refusal.value.errors] == [expected["field"]]
        return

    documents = [
        as_document(record_from_input(validated(FactInput, body), NOON, str(number)))
        for number, body in enumerate(bodies)
    ]

    assert len({document["@id"] for document in documents}) == len(bodies)
    assert all(document["@id"].startswith(expected.get("id_prefix", "fact:")) for document in documents)
    assert not any(key in document for document in documents for key in expected.get("absent", []))


def _of_the_body_alone(case: dict[str, Any]) -> bool:
    changed = case["input"].get("set", {})
    generated = any(isinstance(value, dict) and "gen" in value for value in changed.values())
    return case["target"] == "api:facts.create" and "@id" not in changed and not generated


BAD_FACTS = [case for case in BAD_INPUTS if case["class"] == "facts" and _of_the_body_alone(case)]


@pytest.mark.skipif(not BAD_FACTS, reason="the shared cases are not here")
@pytest.mark.parametrize("case", BAD_FACTS, ids=lambda case: case["id"])
def test_bad_input_is_refused_by_field(case: dict[str, Any]):
    given = case["input"]
    changed = given.get("set", {})
    faulty = set(changed) | set(given.get("unset", [])) or {"confidence"}

    body = BODY | changed
    text = given.get("raw_body") or json.dumps({key: body[key] for key in body if key not in given.get("unset", [])})
    with pytest.raises(Invalid) as refusal:
        record_from_input(validated(FactInput, loads(text)), NOON, "0")

    assert {error.field for error in refusal.value.errors} <= faulty


@pytest.mark.skipif(not FOLDERS, reason="the shared memory folders are not here")
@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.name)
def test_a_real_file_is_exported_as_it_came(path: Path):
    document = loads(path.read_bytes())

    assert as_document(record_from_import(document)) == document
