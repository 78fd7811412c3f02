"""What cannot be put on record is not done, and not shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connections
from django.test import Client

from kndl_site.embedded import superuser_connection
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from tests.actors import Trio, make_scope

FACT = {
    "statement": "The planted word is tamarind",
    "subject": "customer:1",
    "predicate": "word",
    "object": "tamarind",
    "confidence": 0.9,
    "source": "https://example.test/words",
}


@pytest.fixture
def unrecordable(trio: Trio, data_dir: Path) -> Iterator[None]:
    """The audit table of the Space takes no rows."""
    with superuser_connection(data_dir, alias_of(trio.space.pk)) as connection:
        connection.execute("revoke insert on audit_row from kndl_app")
        yield
        connections.close_all()
        connection.execute("grant insert on audit_row to kndl_app")


def facts_kept(trio: Trio) -> int:
    with entered(trio.space) as here, connections[here.alias].cursor() as cursor:
        cursor.execute("select count(*) from fact")
        return int(cursor.fetchone()[0])


def test_a_fact_that_cannot_be_recorded_is_not_written(trio: Trio, token: str, unrecordable: None) -> None:
    api = Client(raise_request_exception=False, headers={"Authorization": f"Bearer {token}"})
    answer = api.post("/api/v1/spaces/north/facts", FACT, content_type="application/json")
    assert answer.status_code == 500
    assert facts_kept(trio) == 0


def test_anothers_memory_is_not_shown_when_the_look_cannot_be_recorded(
    trio: Trio, settings: LazySettings, request: pytest.FixtureRequest
) -> None:
    settings.KNDL = settings.KNDL.model_copy(update={"require_second_factor": False})
    scope = make_scope(trio.space, "of-the-teammate", trio.teammate)
    owner = trio.client("owner")
    owner.raise_request_exception = False
    address = f"/api/v1/spaces/north/facts?scope={scope.name}"
    assert owner.get(address).status_code == 200
    request.getfixturevalue("unrecordable")
    answer = owner.get(address)
    assert answer.status_code == 500
    assert "facts" not in answer.json()
