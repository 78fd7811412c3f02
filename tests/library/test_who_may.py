"""Who reads the Library and who writes: every route of it, asked by everybody."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from accounts.models import User
from audit.models import AuditRow
from library.models import LibraryRevision
from spaces.models import Membership
from tests.accounts.factors import give_app
from tests.actors import Trio, make_seat_token, make_user

# What each route is called with, {} being a file that is there: (method, path, body).
READS = {
    "library_archive": ("get", "archive", None),
    "library_files_list": ("get", "files", None),
    "library_file_read": ("get", "files/{}", None),
    "library_file_versions": ("get", "files/{}/revisions", None),
    "library_file_version": ("get", "files/{}/revisions/1", None),
    "library_manifest": ("get", "manifest", None),
    "library_revisions": ("get", "revisions", None),
    "library_search": ("get", "search?q=words", None),
}
WRITES = {
    "library_files_upload": ("post", "files", None),
    "library_file_write": ("put", "files/{}", b"other words"),
    "library_file_move": ("patch", "files/{}", {"path": "moved.md"}),
    "library_file_delete": ("delete", "files/{}", None),
    "library_file_restore": ("post", "files/{}/restore", {"version": 1}),
}
LIMITS = {"file_size": 1_000, "whole_size": 10_000, "files": 10, "media_types": []}
GOVERNS = {"library_limits_read": ("get", "limits", None), "library_limits_change": ("put", "limits", LIMITS)}


@pytest.fixture
def everybody(committed_db: None, library: Path, trio: Trio) -> dict[str, Client]:
    """One caller of each kind."""
    boss, auditor, nobody = make_user("boss"), make_user("auditor"), make_user("nobody")
    User.objects.filter(pk=boss.pk).update(instance_role=User.InstanceRole.OWNER)
    Membership.objects.create(space=trio.space, user=auditor, role=Membership.Role.AUDITOR)
    clients = {"member": trio.client("teammate"), "nobody": Client(), "no Space": Client()}
    for name, person in (("boss", boss), ("auditor", auditor)):
        give_app(person)
        clients[name] = Client()
        clients[name].force_login(person)
    clients["no Space"].force_login(nobody)
    for name, verbs in (
        ("seat", ("library:read", "library:write")),
        ("reading seat", ("library:read",)),
        ("other seat", ("facts:read",)),
    ):
        token = make_seat_token(trio.space, verbs=verbs)
        clients[name] = Client(headers={"Authorization": f"Bearer {token}"})
    return clients


def called(client: Client, route: tuple[str, str, Any], file: str = "a.md") -> int:
    method, path, body = route
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    named: dict[str, Any] = {} if body is None else {"data": body, "content_type": kind}
    answer = getattr(client, method)(f"/api/v1/library/{path.format(file)}", **named)
    answer.close()
    status: int = answer.status_code
    return status


def test_every_route_stands_in_one_of_the_tables():
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    found = {
        (operation["operationId"], method)
        for path, methods in paths.items()
        if path.startswith("/api/v1/library/")
        for method, operation in methods.items()
        if isinstance(operation, dict) and "operationId" in operation
    }
    assert found == {(name, route[0]) for name, route in (READS | WRITES | GOVERNS).items()}


def test_who_reads(everybody: dict[str, Client]):
    assert called(everybody["member"], WRITES["library_file_write"]) == 201
    for who, client in everybody.items():
        turned_away = {"nobody": 401, "no Space": 403, "other seat": 403}.get(who, 200)
        for name, route in READS.items():
            assert called(client, route) == turned_away, (who, name)


def test_who_writes(everybody: dict[str, Client]):
    assert called(everybody["member"], WRITES["library_file_write"]) == 201
    for who in ("nobody", "no Space", "other seat", "auditor", "reading seat"):
        refused = AuditRow.objects.using("default").filter(outcome="refused").count()
        for name, route in (WRITES | GOVERNS).items():
            assert called(everybody[who], route) == (401 if who == "nobody" else 403), (who, name)
        counted = AuditRow.objects.using("default").filter(outcome="refused").count() - refused
        assert counted == (0 if who == "nobody" else len(WRITES | GOVERNS)), who
    assert LibraryRevision.objects.count() == 1
    for who in ("boss", "member", "seat"):
        assert called(everybody[who], WRITES["library_file_write"], "b.md") in {200, 201}, who
        assert called(everybody[who], WRITES["library_file_delete"], "b.md") == 200, who


def test_who_sets_the_limits(everybody: dict[str, Client]):
    for route in GOVERNS.values():
        assert called(everybody["member"], route) == 403
        assert called(everybody["seat"], route) == 403
        assert called(everybody["boss"], route) == 200
