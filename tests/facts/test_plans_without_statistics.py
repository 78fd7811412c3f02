"""What a planner does that saw the table when it held one fact: a Space is filled faster than it is analysed."""

from pathlib import Path
from typing import Any

import pytest

from kndl_site.embedded import superuser_connection
from spaces.databases.aliases import alias_of
from tests.rest.client import Rest, stored

PROBE = "select 1 from fact s where s.scope = {scope} and s.supersedes = 'fact:a' and s.recorded_at <= now()"
RARE = "select 1 from fact f where f.scope = {scope} and f.predicate = any(array['rare', 'phi:rare'])"


def line_of(number: int) -> dict[str, Any]:
    """One of many readings, each in the place of the one before."""
    more = {"supersedes": f"fact:r{number - 1:04}"} if number else {}
    return stored(f"r{number:04}", subject="door", predicate="state", object=number, **more)


@pytest.fixture
def old_statistics(rest: Rest, north: Any, data_dir: Path) -> Any:
    """A connection to a database with 2,000 facts, of which its planner knows one."""
    with superuser_connection(data_dir, alias_of(north.pk)) as connection:
        connection.execute("alter table fact set (autovacuum_enabled = false)")
        rest.imported(line_of(0))
        connection.execute("analyze fact")
        rest.imported(*(line_of(number) for number in range(1, 2_000)))
        yield connection
        connection.execute("alter table fact reset (autovacuum_enabled)")


def plan(connection: Any, sql: str) -> str:
    (scope,) = connection.execute("select distinct scope from fact").fetchone()
    return "\n".join(row[0] for row in connection.execute("explain " + sql.format(scope=scope)))


def test_what_superseded_a_fact_is_found_by_its_own_index(old_statistics: Any):
    assert "fact_superseded_once" in plan(old_statistics, PROBE)


def test_a_rare_predicate_is_found_by_its_index_once_it_is_known_to_be_rare(old_statistics: Any):
    old_statistics.execute("analyze fact")
    assert "fact_predicate" in plan(old_statistics, RARE)
