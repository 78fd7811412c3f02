"""What the OpenAPI description needs to know of strict input and of errors."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from pydantic import BaseModel, ConfigDict, Field

from common.rest.query import QueryModel


class Description(AutoSchema):
    """How a route is described. Bodies are read by the routes themselves, so no parser says what they are: JSON."""

    def map_parsers(self) -> list[str]:
        """The media types of a body for which `extend_schema` names none."""
        return ["application/json"]


class ProblemField(BaseModel):
    """One field at fault."""

    field: str
    detail: str


class Problem(BaseModel):
    """An error as problem+json (RFC 9457); `code` is the stable name of its kind."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[ProblemField] = Field(default_factory=list)


def query_parameters(model: type[QueryModel], *, leave_out: frozenset[str] = frozenset()) -> list[OpenApiParameter]:
    """The parameters of a query string's model, for `extend_schema`."""
    schema = model.model_json_schema()
    found = []
    for name, described in schema.get("properties", {}).items():
        if name in leave_out:
            continue
        found.append(
            OpenApiParameter(
                name,
                type=_without_null(described, schema.get("$defs", {})),
                required=name in schema.get("required", ()),
                description=described.get("description", ""),
            )
        )
    return found


def _without_null(described: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a value that is there: a query string has no null."""
    options = [option for option in described.get("anyOf", [described]) if option.get("type") != "null"]
    chosen = dict(options[0])
    if "$ref" in chosen:
        chosen = dict(definitions[chosen["$ref"].rpartition("/")[2]])
    chosen.pop("title", None)
    if described.get("default") is not None:
        chosen["default"] = described["default"]
    return chosen
