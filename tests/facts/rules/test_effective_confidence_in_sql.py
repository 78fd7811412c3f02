from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kndl_site.embedded import EmbeddedServer, connection_parameters
from memory.facts.rules.confidence import effective_confidence, effective_sql
from memory.facts.rules.decay import LONGEST_WINDOW, SHORTEST_WINDOW, Decay

INSTANTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 (drawn in UTC)
RATES = st.floats(0, 1, exclude_min=True, exclude_max=True) | st.sampled_from([0.5, 0.7, 0.9, 5e-324, 1 - 2**-53])
WINDOWS = st.floats(SHORTEST_WINDOW, LONGEST_WINDOW) | st.sampled_from([1.0, 86_400.0, 2_592_000.0])
CONFIDENCES = st.floats(0, 1) | st.sampled_from([0.0, 5e-324, 1e-300, 0.6, 1.0])
# Below e^-600 both sides say 0; within rounding of it they may differ on which side they are.
NOTHING = 1e-259

START = datetime(2026, 1, 1, tzinfo=UTC)

# The row's values are constants here, so PostgreSQL works the expression out while it plans.
CONSTANT = f"""
    SELECT {effective_sql("%(at)s::timestamptz")}
    FROM (SELECT %(confidence)s::float8 AS confidence, %(rate)s::float8 AS decay_rate,
                 %(window)s::float8 AS decay_window, %(valid_from)s::timestamptz AS valid_from) f
"""
# Only some columns are constants: a branch of the CASE that is not taken may be worked out all the same.
PARTLY_CONSTANT = f"""
    SELECT {effective_sql("%(at)s::timestamptz")}
    FROM (SELECT s.confidence, %(rate)s::float8 AS decay_rate,
                 %(window)s::float8 AS decay_window, %(valid_from)s::timestamptz AS valid_from FROM sample s) f
"""
STORED = f"SELECT {effective_sql('%(at)s::timestamptz', 'sample')} FROM sample"


@pytest.fixture(scope="module")
def connection(embedded_server: EmbeddedServer, data_dir: Path) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(**connection_parameters(data_dir, "app"), autocommit=True) as connection:
        connection.execute(
            "CREATE TEMP TABLE sample (confidence float8, decay_rate float8, decay_window float8,"
            " valid_from timestamptz)"
        )
        yield connection


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONFIDENCES, RATES, WINDOWS, INSTANTS, INSTANTS | st.timedeltas(timedelta(0), timedelta(days=90)))
@example(0.9, 0.5, 0.001, START, START + timedelta(days=9000))
@example(0.6, 0.5, 86_400.0, START, START + timedelta(days=1))
@example(1.0, 0.7, 86_400.0, START, START + timedelta(days=1))
@example(0.0, 0.5, 1.0, START, START + timedelta(days=9000))
@example(5e-324, 0.5, 1.0, START, START)
@example(0.9, 0.5, 3_600.0, START, START + timedelta(days=1, seconds=56217, microseconds=522790))
@example(1e-280, 0.5, 1.0, START, START)
@example(1.0, 1 - 2**-53, LONGEST_WINDOW, START, START + timedelta(microseconds=1))
@example(1.0, 5e-324, SHORTEST_WINDOW, datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC))
def test_sql_and_python_agree_to_the_last_bit(
    connection: psycopg.Connection[Any],
    confidence: float,
    rate: float,
    window: float,
    valid_from: datetime,
    then: datetime | timedelta,
):
    at = then if isinstance(then, datetime) else min(valid_from, datetime(9999, 1, 1, tzinfo=UTC)) + then
    row = {"confidence": confidence, "rate": rate, "window": window, "valid_from": valid_from, "at": at}
    connection.execute("TRUNCATE sample")
    connection.execute("INSERT INTO sample VALUES (%(confidence)s, %(rate)s, %(window)s, %(valid_from)s)", row)

    expected = effective_confidence(confidence, Decay(rate, window, "drawn"), valid_from, at)

    for query in (CONSTANT, PARTLY_CONSTANT, STORED):
        [(found,)] = connection.execute(query, row).fetchall()
        assert found == expected or (at > valid_from and max(found, expected) < NOTHING), query


def test_a_fact_without_decay_keeps_its_confidence(connection: psycopg.Connection[Any]):
    row = {"confidence": 0.9, "rate": None, "window": None, "valid_from": START, "at": START + timedelta(days=9000)}

    assert connection.execute(CONSTANT, row).fetchall() == [(0.9,)]


def test_one_fact_that_faded_long_ago_does_not_break_a_query_over_many(connection: psycopg.Connection[Any]):
    connection.execute("TRUNCATE sample")
    connection.execute(
        "INSERT INTO sample SELECT 0.9, 0.5, window_, %s"
        " FROM unnest(ARRAY[0.001, 1, 60, 86400, 2592000]::float8[]) AS window_",
        [START],
    )
    value = effective_sql("%(at)s::timestamptz", "sample")

    rows = connection.execute(
        f"SELECT {value} AS effective FROM sample WHERE {value} >= 0 ORDER BY effective",
        {"at": START + timedelta(days=30)},
    ).fetchall()

    assert len(rows) == 5
    assert (rows[0], rows[-1]) == ((0.0,), (0.45,))
