"""What /healthz and /readyz say to machines; a lost Space and a lost database are in tests/databases and test_up.py."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from common.times import now
from kndl_site import health
from spaces.models import Heartbeat
from spaces.ticking import tick


def seen(ago: timedelta) -> None:
    Heartbeat.objects.update_or_create(name="worker", defaults={"at": now() - ago})


def readiness() -> tuple[int, Any]:
    answer = Client().get("/readyz")
    return answer.status_code, answer.json()


def test_healthz_answers_without_a_database(client: Client) -> None:
    answer = client.get("/healthz")  # pytest-django refuses any query here
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert client.post("/healthz").status_code == 405


def test_ready_after_the_workers_first_tick_and_not_before(committed_db: None) -> None:
    status, body = readiness()
    assert (status, body["checks"]["worker"]) == (503, "not seen yet")
    tick()
    assert readiness() == (
        200,
        {"status": "ready", "checks": {"database": "ok", "worker": "ok", "disk": "ok"}, "lost_spaces": []},
    )


def test_a_worker_that_was_not_seen_for_three_minutes_is_late(db: None) -> None:
    seen(timedelta(minutes=2, seconds=50))
    assert readiness()[0] == 200
    seen(timedelta(minutes=3, seconds=1))
    status, body = readiness()
    assert (status, body["status"]) == (503, "not ready")
    assert body["checks"]["worker"].startswith("last seen 20")


def test_a_disk_that_is_nearly_full_is_not_ready(db: None, monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    seen(timedelta(0))
    monkeypatch.setattr(health, "LEAST_DISK", 2**60)
    status, body = readiness()
    assert status == 503
    assert body["checks"]["disk"].endswith(" MiB free")
