from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from common.errors import Invalid
from common.strict import Confidence, Instant, Sentence, StrictModel, Uri, VisibleText, validated


class Part(StrictModel):
    name: Annotated[str, VisibleText(1, 5)]


class Whole(StrictModel):
    title: Annotated[str, VisibleText(1, 10)] = "x"
    trust: Confidence = 1.0
    source: Uri = "urn:x"
    when: Instant | None = None
    open: Annotated[bool, Sentence("must be true or false")] = False
    count: int = 0
    parts: list[Part] = []


def refusals(**data: Any) -> list[str]:
    with pytest.raises(Invalid) as refusal:
        validated(Whole, data)
    return [f"{error.field} {error.detail}" for error in refusal.value.errors]


def test_what_is_allowed_comes_back_typed():
    whole = validated(Whole, {"title": "日本", "trust": 1, "when": "2026-01-01", "parts": [{"name": "a"}]})

    assert whole.when == datetime(2026, 1, 1, tzinfo=UTC)
    assert (whole.title, whole.trust, whole.parts) == ("日本", 1.0, [Part(name="a")])


@pytest.mark.parametrize("title", ["x", " x ", "é", "e\u0301", "日", "م", "😀", "·", "-", "a\nb", "\ue000", "x" * 10])
def test_text_with_a_visible_character_is_allowed(title: str):
    assert validated(Whole, {"title": title}).title == title


@pytest.mark.parametrize(
    "title",
    [
        "",
        " ",
        "\t\n",
        "\u200b",
        "\u00a0\u3000",
        "\u202e",
        "\u3164",
        "\u2800",
        "\u0301",
        "\ufe0f",
        "x\0",
        "\0x",
        "\ud800",
        "x" * 11,
    ],
)
def test_text_without_one_or_with_a_nul_is_refused(title: str):
    assert refusals(title=title) == ["title must be text of 1 to 10 characters, with a visible one and no NUL"]


@pytest.mark.parametrize("title", [None, 1, True, b"x", ["x"], {}])
def test_nothing_else_passes_for_text(title: object):
    assert len(refusals(title=title)) == 1


def test_a_confidence_is_as_strict_where_its_model_is_not():
    with pytest.raises(ValidationError):
        TypeAdapter(Confidence).validate_python(True)


@pytest.mark.parametrize("trust", [True, False, "1", None, float("nan"), float("inf"), -0.01, 1.01, 2, [1], 10**400])
def test_a_confidence_is_a_number_between_0_and_1(trust: object):
    assert refusals(trust=trust) == ["trust must be a number between 0 and 1"]


@pytest.mark.parametrize(
    "source",
    ["https://api.example.com/9281?a=b#c", "human://müller", "session://4f#L1-L9", "urn:isbn:1", "file:///a", "a:b"],
)
def test_any_absolute_uri_is_a_source(source: str):
    assert validated(Whole, {"source": source}).source == source


@pytest.mark.parametrize(
    "source",
    [
        "",
        "example.com",
        "/a/b",
        "//host/a",
        "https:",
        "human://",
        "1a:b",
        "a b:c",
        "urn:a b",
        "urn:a\n",
        "\nurn:a",
        "urn:" + "a" * 2000,
    ],
)
def test_what_is_not_absolute_is_refused(source: str):
    assert [refusal.split()[:4] for refusal in refusals(source=source)] == [["source", "must", "be", "an"]]


@pytest.mark.parametrize("when", ["2026-01-01T00:00:00", "2026-02-30", 1, True, datetime(2026, 1, 1, tzinfo=UTC)])
def test_a_time_is_text_with_a_zone(when: object):
    assert [refusal.split()[0] for refusal in refusals(when=when)] == ["when"]


@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_only_true_and_false_are_booleans(value: object):
    assert refusals(open=value) == ["open must be true or false"]


@pytest.mark.parametrize("count", [True, "1", 1.0, 1.5])
def test_only_whole_numbers_are_counts(count: object):
    assert refusals(count=count) == ["count must be a whole number"]


def test_unknown_fields_are_refused_by_name():
    assert refusals(titel="x") == ["titel is not a known field"]


def test_a_fault_inside_is_named_by_its_path():
    assert refusals(parts=[{"name": "a"}, {}]) == ["parts.1.name is required"]


def test_every_field_at_fault_is_named_once():
    assert [refusal.split()[0] for refusal in refusals(title="", trust=2, parts=1)] == ["title", "trust", "parts"]


@pytest.mark.parametrize("data", [None, [], "x", 1])
def test_what_is_no_object_is_refused(data: object):
    with pytest.raises(Invalid, match="must be an object"):
        validated(Whole, data)


def test_the_schema_of_the_types_is_plain():
    properties = Whole.model_json_schema()["properties"]

    assert properties["title"].items() >= {"type": "string", "minLength": 1, "maxLength": 10}.items()
    assert properties["source"]["format"] == "uri"
    assert properties["trust"].items() >= {"type": "number", "minimum": 0, "maximum": 1}.items()
