"""What an OpenAPI description says, as the plain lists a page shows."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]

_METHODS = ("get", "post", "put", "patch", "delete")
_EXAMPLE_SPACE = "demo"


@dataclass(frozen=True)
class Field:
    """A parameter or a member of a body."""

    name: str
    kind: str
    required: bool
    description: str
    place: str = ""


@dataclass(frozen=True)
class Answer:
    """What may be answered, with the members of its body."""

    status: str
    kinds: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Operation:
    """One method of one route. `anchor` is unique on the page."""

    anchor: str
    method: str
    path: str
    summary: str
    more: str
    parameters: tuple[Field, ...]
    body_kinds: str
    body: tuple[Field, ...]
    answers: tuple[Answer, ...]
    example: str


@dataclass(frozen=True)
class Group:
    """The operations of one kind of thing."""

    title: str
    operations: tuple[Operation, ...]


def groups_of(description: Json, origin: str) -> list[Group]:
    """The operations of an OpenAPI 3 document, grouped by the first word of what lies inside a Space."""
    found: dict[str, list[Operation]] = {}
    for path, methods in description["paths"].items():
        for method in _METHODS:
            if method in methods:
                operation = _operation(description, origin, path, method, methods[method])
                found.setdefault(_title(path), []).append(operation)
    return [Group(title, tuple(operations)) for title, operations in found.items()]


def _title(path: str) -> str:
    parts = [part for part in path.strip("/").split("/") if not part.startswith("{")]
    inside = parts[parts.index("spaces") + 1 :] if "spaces" in parts else parts[2:]
    return (inside or parts)[0].replace("-", " ").capitalize()


def _operation(description: Json, origin: str, path: str, method: str, said: Json) -> Operation:
    summary, _, more = str(said.get("summary") or said.get("description") or "").strip().partition("\n\n")
    content: Json = said.get("requestBody", {}).get("content", {})
    body = _schema(content)
    parameters = tuple(_parameter(description, item) for item in said.get("parameters", ()))
    return Operation(
        anchor=str(said["operationId"]).replace("_", "-"),
        method=method.upper(),
        path=path,
        summary=" ".join(summary.split()),
        more=" ".join(more.split()),
        parameters=parameters,
        body_kinds=", ".join(content),
        body=tuple(_fields(description, body)),
        answers=tuple(_answer(description, status, item) for status, item in said.get("responses", {}).items()),
        example=_example(origin, path, method, next(iter(content), ""), description, body),
    )


def _parameter(description: Json, item: Json) -> Field:
    return Field(
        name=item["name"],
        kind=_kind(description, item.get("schema", {})),
        required=bool(item.get("required")),
        description=str(item.get("description") or item.get("schema", {}).get("description", "")),
        place=item["in"],
    )


def _answer(description: Json, status: str, item: Json) -> Answer:
    content: Json = item.get("content", {})
    return Answer(status, ", ".join(content), tuple(_fields(description, _schema(content))))


def _schema(content: Json) -> Json:
    """The schema of a body; of the first kind where it may be of several."""
    first: Json = next(iter(content.values()), {})
    schema: Json = first.get("schema", {})
    return schema


def _fields(description: Json, schema: Json) -> Iterator[Field]:
    schema = _resolved(description, schema)
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        yield Field(name, _kind(description, member), name in required, str(member.get("description", "")))


def _resolved(description: Json, schema: Json) -> Json:
    while "$ref" in schema:
        found: Json = description
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        schema = found
    return schema


def _kind(description: Json, schema: Json) -> str:
    """A type in words: text, number, one of a, b; list of text."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        resolved = _resolved(description, schema)
        return name if resolved.get("properties") else _kind(description, resolved)
    for several in ("oneOf", "anyOf", "allOf"):
        if several in schema:
            kinds = (_kind(description, option) for option in schema[several] if option.get("type") != "null")
            return " or ".join(dict.fromkeys(kinds))
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"] if value is not None)
    if "const" in schema:
        return str(schema["const"])
    kind = schema.get("type", "any value")
    if isinstance(kind, list):
        kind = next((name for name in kind if name != "null"), "any value")
    if kind == "array":
        return f"list of {_kind(description, schema.get('items', {}))}"
    return str(schema.get("format") or {"string": "text", "boolean": "true or false"}.get(kind, kind))


def _example(origin: str, path: str, method: str, kind: str, description: Json, body: Json) -> str:
    address = origin + path.replace("{space}", _EXAMPLE_SPACE).replace("{fact_id}", "fact:example")
    lines = ['curl -H "Authorization: Bearer $KNDL_TOKEN"']
    if method != "get":
        lines[0] += f" -X {method.upper()}"
    if kind.endswith("ndjson"):
        lines += [f"-H 'Content-Type: {kind}' --data-binary @facts.jsonl"]
    elif kind:
        members = {field.name: _sample(field) for field in _fields(description, body) if field.required}
        text = json.dumps(members, ensure_ascii=False)
        lines += [f"-H 'Content-Type: {kind}' -d '{text}'"]
    return " \\\n  ".join([*lines, f"'{address}'"])


def _sample(field: Field) -> Any:
    known = {"statement": "Harrow Street opens at 8.", "confidence": 0.9, "source": "human://jun-hallowick"}
    if field.name in known:
        return known[field.name]
    if field.kind.startswith("list"):
        return ["treatment" if field.name == "purposes" else "…"]
    return {"number": 0.5, "integer": 1, "true or false": True}.get(field.kind, "…")
