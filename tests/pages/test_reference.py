"""The API reference and the pages of problem types."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from common.errors import KndlError
from common.problem_types import problem_types
from desk.operations import groups_of
from tests.pages.reading import page_of

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def reference() -> str:
    answer = Client().get("/api/v1/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_anybody_may_read_every_operation(reference: str):
    described = SchemaGenerator().get_schema(request=None, public=True)

    for path, methods in described["paths"].items():
        for method in methods.keys() - {"parameters"}:
            assert f"<code>{method.upper()} {path}</code>" in reference


def test_an_operation_says_its_parameters_its_body_and_its_answers(reference: str):
    part = reference.split('id="facts-list"')[1].split('<section class="section"')[0]
    for words in (
        "min_confidence",
        "Least effective confidence.",
        "one of usable, uncertain, stale",
        "as_of",
        "Answer 200",
    ):
        assert words in part
    part = reference.split('id="facts-write"')[1].split('<section class="section"')[0]
    for words in ("statement", "recordedAt", "validFrom", "Idempotency-Key", "required", "application/json"):
        assert words in part


def test_an_example_can_be_pasted_into_a_shell(reference: str):
    part = reference.split('id="facts-write"')[1].split('<section class="section"')[0]
    example = part.split("<code>")[-1].split("</code>")[0]

    assert example.startswith("curl -H &quot;Authorization: Bearer $KNDL_TOKEN&quot; -X POST")
    assert "/api/v1/spaces/demo/facts&#x27;" in example
    assert "&quot;statement&quot;: " in example


def test_anchors_are_there_once_and_links_find_them(reference: str):
    anchors = re.findall(r' id="([^"]+)"', reference)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', reference)) <= set(anchors)


def test_a_description_of_our_own_is_shown_as_it_says():
    described = {
        "paths": {
            "/api/v1/spaces/{space}/things/{id}": {
                "post": {
                    "operationId": "things_change",
                    "description": "Change a thing.\n\nIt stays\nchanged.",
                    "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/T"}}}},
                    "responses": {"204": {}},
                }
            }
        },
        "components": {
            "schemas": {
                "T": {
                    "required": ["size"],
                    "properties": {
                        "size": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                        "names": {"type": "array", "items": {"type": "string"}},
                    },
                }
            }
        },
    }
    (group,) = groups_of(described, "http://here")
    (operation,) = group.operations

    assert (group.title, operation.anchor, operation.method) == ("Things", "things-change", "POST")
    assert (operation.summary, operation.more) == ("Change a thing.", "It stays changed.")
    assert [(field.name, field.kind, field.required) for field in operation.body] == [
        ("size", "number", True),
        ("names", "list of text", False),
    ]
    assert '{"size": 0.5}' in operation.example


def test_every_kind_of_problem_that_the_code_raises_has_a_page():
    rooms = ("accounts", "audit", "common", "desk", "kndl_site", "memory", "seats", "spaces")
    files = [file for room in rooms for file in (ROOT / room).rglob("*.py")]
    raised = {code for file in files for code in _raised_codes(ast.parse(file.read_text("utf-8")))}

    assert {"narrow_first", "already_superseded", "unexpected"} <= raised
    assert raised - {kind.code for kind in problem_types()} == set(), "name them in common/problem_types.py"


def _raised_codes(tree: ast.Module) -> Iterator[str]:
    """The `type` that errors are given where they are made."""
    kinds = {kind.__name__ for kind in _subclasses(KndlError)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds:
            for given in node.keywords:
                if given.arg == "type" and isinstance(given.value, ast.Constant):
                    yield str(given.value.value)


def _subclasses(kind: type[KndlError]) -> Iterator[type[KndlError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _subclasses(below)


def test_a_problem_has_a_page_and_an_unknown_code_has_none(db: None):
    client = Client()
    listed = page_of(client.get("/problems/"))

    for kind in problem_types():
        page = page_of(client.get(f"/problems/{kind.code}"))
        assert (page.status, kind.title in page.text, str(kind.status) in page.text) == (200, True, True)
        assert listed.links[kind.code] == f"/problems/{kind.code}"
    assert client.get("/problems/no_such_code").status_code == 404
