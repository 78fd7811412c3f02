"""Tracebacks in the log say where and what kind, never what people wrote."""

from typing import Any

import pytest
from django.db import DataError, IntegrityError, connections, transaction
from pydantic import BaseModel, ValidationError

from kndl_site.tracebacks import traceback_of, without_content
from spaces.models import Space

WORD = "tamarind"


def raised(error: type[Exception], act: Any) -> Exception:
    with pytest.raises(error) as caught:
        act()
    return caught.value


def test_a_row_that_the_database_refuses_is_not_in_the_log(db: None) -> None:
    def write_twice() -> None:
        Space.objects.create(slug=WORD, name=WORD)
        with transaction.atomic(using="default"):
            Space.objects.create(slug=WORD, name=WORD)

    error = raised(IntegrityError, write_twice)
    assert WORD in str(error)
    text = traceback_of(error)
    assert WORD not in text
    assert "SQLSTATE 23505 spaces_space" in text
    assert "in write_twice" in text
    assert "django.db.utils.IntegrityError" in text


def test_a_value_that_the_database_cannot_read_is_not_in_the_log(db: None) -> None:
    def ask() -> None:
        with transaction.atomic(using="default"), connections["default"].cursor() as cursor:
            cursor.execute("select %s::uuid", [WORD])

    error = raised(DataError, ask)
    assert WORD in str(error)
    assert WORD not in traceback_of(error)


def test_a_value_that_a_model_refuses_is_not_in_the_log() -> None:
    class Input(BaseModel):
        number: int

    error = raised(ValidationError, lambda: Input.model_validate({"number": WORD}))
    assert WORD in str(error)
    assert WORD not in traceback_of(error)


def test_what_it_arose_from_is_told_first() -> None:
    def fail() -> None:
        try:
            raise LookupError("the cause")
        except LookupError as error:
            raise RuntimeError("the effect") from error

    lines = without_content(None, "error", {"exc_info": raised(RuntimeError, fail)})["exception"].splitlines()
    assert [line for line in lines if line.startswith("builtins.")] == [
        "builtins.LookupError: the cause",
        "builtins.RuntimeError: the effect",
    ]
