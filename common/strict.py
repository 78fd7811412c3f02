"""Strict input: the base of every input model, the field types they share, and refusals in plain English.

A field's type is annotated, for instance `statement: Annotated[str, VisibleText(1, 4000)]`; `Instant`, `Uri` and
`Confidence` are ready to use. All of them are checked in pydantic's own core, except times, which `common.times` reads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from common.errors import FieldError, Invalid
from common.times import parse_instant


class StrictModel(BaseModel):
    """Base of input models: exact JSON types, no unknown field, fields called by their alias."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, validate_by_alias=True, validate_by_name=False, allow_inf_nan=False
    )


@dataclass(frozen=True, slots=True)
class Sentence:
    """Put last in an `Annotated` type: whatever is wrong with the value, the refusal says this."""

    text: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.custom_error_schema(handler(source), "kndl_sentence", custom_error_message=self.text)


# Not visible: control, format and separator characters, marks without a letter, and the letters that draw nothing.
_VISIBLE = r"[^\s\p{Cc}\p{Cf}\p{Z}\p{M}\x{2800}\x{115F}\x{1160}\x{3164}\x{FFA0}]"


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A text of `least` to `most` characters of which one can be seen, and no NUL among them."""

    least: int = 1
    most: int = 500

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        text = core_schema.str_schema(
            strict=True,
            min_length=self.least,
            max_length=self.most,
            pattern=rf"\A[^\x00]*{_VISIBLE}[^\x00]*\z",
        )
        sentence = f"must be text of {self.least:,} to {self.most:,} characters, with a visible one and no NUL"
        return core_schema.custom_error_schema(text, "kndl_sentence", custom_error_message=sentence)

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", "minLength": self.least, "maxLength": self.most}


@dataclass(frozen=True, slots=True)
class Read:
    """Annotates a field that is written as text and read by a function which raises ValueError with its reason."""

    read: Callable[[str], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        read = self.read

        def parsed(value: Any) -> Any:
            if not isinstance(value, str):
                raise ValueError("must be text")
            return read(value)

        return core_schema.no_info_plain_validator_function(parsed)


Instant = Annotated[
    datetime,
    Read(parse_instant),
    WithJsonSchema({"type": "string", "format": "date-time", "description": "With a zone; a date alone is UTC."}),
]

Uri = Annotated[
    str,
    Field(max_length=2000, pattern=r"\A[A-Za-z][A-Za-z0-9+.\-]*:/*[^\s\p{Cc}\p{Z}/][^\s\p{Cc}\p{Z}]*\z"),
    Sentence("must be an absolute URI such as https://… or human://name, of at most 2,000 characters"),
    WithJsonSchema({"type": "string", "format": "uri", "maxLength": 2000}),
]

Confidence = Annotated[
    float,
    Field(strict=True, ge=0, le=1, allow_inf_nan=False),
    Sentence("must be a number between 0 and 1"),
]

Model = TypeVar("Model", bound=BaseModel)


def validated(model: type[Model], data: Any) -> Model:
    """Return `data` as an instance of `model`, or raise Invalid with one FieldError for each field at fault."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        found = [
            FieldError(_path(item), _detail(item)) for item in error.errors(include_url=False, include_input=False)
        ]
    named = list({item.field: item for item in reversed(found) if item.field}.values())[::-1]
    if not named:
        raise Invalid(f"The document {found[0].detail}.")
    raise Invalid(errors=named)


def _path(item: ErrorDetails) -> str:
    return ".".join(str(step) for step in item["loc"])


def _detail(item: ErrorDetails) -> str:
    """Say in plain English what one pydantic error means, as the end of a sentence begun by the field's name."""
    context = item.get("ctx", {})
    kind = item["type"]
    if kind == "kndl_sentence":
        return item["msg"]
    if kind == "value_error":
        return str(context["error"])
    return _SENTENCES.get(kind, "is not valid").format(**context)


_SENTENCES = {
    "missing": "is required",
    "extra_forbidden": "is not a known field",
    "string_type": "must be text",
    "string_unicode": "must be valid Unicode text",
    "string_too_short": "must have {min_length} characters or more",
    "string_too_long": "must have {max_length} characters or fewer",
    "string_pattern_mismatch": "is not written in the form it must have",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be {le} or less",
    "multiple_of": "must be a multiple of {multiple_of}",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "none_required": "must not be given",
    "too_short": "must have {min_length} entries or more",
    "too_long": "must have {max_length} entries or fewer",
    "enum": "must be one of {expected}",
    "literal_error": "must be one of {expected}",
    "uuid_type": "must be a UUID",
    "uuid_parsing": "must be a UUID",
}
