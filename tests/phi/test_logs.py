"""What goes wrong is told to the log and to developers without what people wrote."""

import hashlib
import json
import logging
from datetime import datetime
from typing import Any

import pytest
from django.template import Context, Template, VariableDoesNotExist
from django.test import RequestFactory
from django.views.debug import ExceptionReporter

from audit.models import IdempotencyKey
from kndl_site.debugging import WithoutValues
from kndl_site.tracebacks import traceback_of
from spaces.databases.aliases import alias_of
from tests.phi.patients import consent, phi
from tests.rest.client import Rest

WORD = "tamarind"


def caught(fail: Any) -> BaseException:
    with pytest.raises(Exception, match=WORD) as found:
        fail()
    return found.value


@pytest.mark.parametrize(
    "fail",
    [
        lambda: int(WORD),
        lambda: float(f"it's {WORD}"),
        lambda: json.loads("{}")[WORD],
        lambda: {"a": 1}[f'"{WORD}"'],
        lambda: datetime.fromisoformat(WORD),
    ],
)
def test_values_that_python_quotes_are_not_in_the_log(fail: Any):
    error = caught(fail)
    assert WORD in str(error)
    assert WORD not in traceback_of(error)


def test_what_a_template_was_given_is_not_in_the_log():
    error = caught(lambda: Template("{{ a.b }}").nodelist[0].filter_expression.var.resolve(Context({"a": WORD})))  # type: ignore[attr-defined]
    assert isinstance(error, VariableDoesNotExist)
    assert WORD not in traceback_of(error)


@pytest.mark.parametrize("name", ["django.db.backends", "django.template", "psycopg"])
def test_those_who_would_tell_statements_and_variables_are_kept_quiet_whatever_the_level(name: str):
    assert not logging.getLogger(name).isEnabledFor(logging.DEBUG)


def test_the_page_for_developers_names_variables_and_shows_no_value(settings: Any):
    assert f"{WithoutValues.__module__}.{WithoutValues.__name__}" == settings.DEFAULT_EXCEPTION_REPORTER_FILTER

    def fail(statement: str) -> None:
        raise RuntimeError("it failed")

    request = RequestFactory().post("/", {"statement": WORD})
    with pytest.raises(RuntimeError) as failed:
        fail(WORD)
    html = ExceptionReporter(request, failed.type, failed.value, failed.tb).get_traceback_html()
    assert WORD not in html
    assert "statement" in html


def test_an_idempotency_row_does_not_tell_which_body_it_was(rest: Rest, north: Any):
    """A plain hash could be tried against every finding there is."""
    consent(rest)
    body = json.dumps(phi()).encode()
    answer = rest.post("facts", body, Idempotency_Key="k1")
    assert answer.status_code == 201
    row = IdempotencyKey.objects.using(alias_of(north.pk)).get(key="k1")
    plain = hashlib.sha256(b"POST /api/v1/spaces/north/facts\0" + body).digest()
    assert bytes(row.body_hash) != plain
    assert rest.post("facts", body, Idempotency_Key="k1")["Idempotent-Replayed"] == "true"
