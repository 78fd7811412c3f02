"""What a person may change of a proposal before it is stored."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from common.errors import FieldError, Invalid
from common.strict import Confidence, StrictModel, VisibleText, validated


class FragmentEdit(StrictModel):
    """Of a fragment: what it says."""

    text: Annotated[str, VisibleText(1, 1_000)] | None = None


class EventEdit(StrictModel):
    """Of an event: its title and what happened."""

    title: Annotated[str, VisibleText(1, 300)] | None = None
    text: Annotated[str, VisibleText(1, 4_000)] | None = None


class ConceptEdit(StrictModel):
    """Of a concept: its name and its type."""

    name: Annotated[str, VisibleText(1, 300)] | None = None
    type: Annotated[str, Field(pattern=r"\A[A-Z][A-Za-z0-9]{0,63}\z")] | None = None


class FactEdit(StrictModel):
    """Of a fact: what it states, and how sure it is."""

    statement: Annotated[str, VisibleText(1, 4_000)] | None = None
    subject: Annotated[str, VisibleText(1, 500)] | None = None
    predicate: Annotated[str, VisibleText(1, 500)] | None = None
    object: Any = None
    confidence: Confidence | None = None


_EDITS: dict[str, type[StrictModel]] = {
    "fragment": FragmentEdit,
    "event": EventEdit,
    "concept": ConceptEdit,
    "fact": FactEdit,
}


def read_edit(kind: str, number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """The changes to the proposal `number`, of this kind. Raises Invalid, which names `edits.<number>.<field>`."""
    try:
        edit = validated(_EDITS[kind], dict(given))
    except Invalid as error:
        raise of_edit(number, error) from None
    changed = {name: getattr(edit, name) for name in edit.model_fields_set}
    empty = [name for name, value in changed.items() if value is None and name != "object"]
    if empty:
        raise Invalid("must not be empty", field=f"edits.{number}.{empty[0]}")
    return changed


def of_edit(number: int, error: Invalid) -> Invalid:
    """The same refusal, its fields named as those of an edit."""
    if not error.errors:
        return Invalid(error.detail, field=f"edits.{number}")
    return Invalid(errors=[FieldError(f"edits.{number}.{item.field}", item.detail) for item in error.errors])
