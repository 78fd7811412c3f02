"""Query strings, strictly: a parameter nobody knows is refused, and so is one given twice."""

from typing import TypeVar

from django.http import QueryDict
from pydantic import BaseModel, ConfigDict

from common.errors import FieldError, Invalid
from common.strict import validated


class QueryModel(BaseModel):
    """Base of the models of query strings: values come as text and are read from it."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=False, allow_inf_nan=False)


Model = TypeVar("Model", bound=QueryModel)


def parsed_query(model: type[Model], query: QueryDict) -> Model:
    """The query string as `model`. Raises Invalid naming each parameter at fault; a NUL is refused everywhere."""
    faults = [FieldError(name, "is given more than once") for name, values in query.lists() if len(values) > 1]
    faults += [
        FieldError(name.replace("\0", "?"), "must not hold a NUL")
        for name, value in query.items()
        if "\0" in name + str(value)
    ]
    if faults:
        raise Invalid(errors=faults)
    return validated(model, {name: query[name] for name in query})
