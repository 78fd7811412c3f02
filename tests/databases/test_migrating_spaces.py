"""Upgrading: every Space in turn; one that fails waits out of reach for the next run, which goes on from there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connections

from common.errors import SpaceUnavailable
from kndl_site.running import migrate_everything
from spaces.databases import provisioning
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from spaces.databases.provisioning import CannotProvision, migrate_space
from spaces.models import Space
from tests.databases.breaking import FORGET_MIGRATION, as_superuser

UNDO_MIGRATION = ("drop trigger refuse_change on audit_row", "drop trigger refuse_truncate on audit_row")

pytestmark = pytest.mark.usefixtures("committed_db")


def has_its_triggers(space: Space) -> bool:
    with entered(space) as here, connections[here.alias].cursor() as cursor:
        cursor.execute(
            "select count(*) from pg_trigger where tgname in ('refuse_change', 'refuse_truncate')"
            " and tgrelid = 'audit_row'::regclass"
        )
        return bool(cursor.fetchone()[0] == 2)


def test_a_migration_that_fails_in_one_space_stops_no_other_and_the_next_run_completes(
    new_space: Callable[..., Any], data_dir: Path
) -> None:
    fails, waits = new_space("fails"), new_space("waits")
    # The migration is to be run again in both, and what it makes is in its way in one of them.
    as_superuser(data_dir, alias_of(fails.pk), FORGET_MIGRATION)
    as_superuser(data_dir, alias_of(waits.pk), FORGET_MIGRATION, *UNDO_MIGRATION)
    said: list[str] = []
    assert migrate_everything(said.append) == ["fails"]
    assert said[2].startswith("fails: FAILED, stays unavailable: ")
    assert said[:2] + said[3:] == ["control: up to date", "template of Spaces: up to date", "waits: up to date"]
    assert has_its_triggers(waits)
    with pytest.raises(SpaceUnavailable), entered(fails):
        pass

    as_superuser(data_dir, alias_of(fails.pk), *UNDO_MIGRATION)
    assert migrate_everything() == []
    assert has_its_triggers(fails)


def test_a_migration_that_is_cut_off_leaves_nothing_half_done(
    new_space: Callable[..., Any], data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = new_space("cut-off")
    as_superuser(data_dir, alias_of(space.pk), FORGET_MIGRATION, *UNDO_MIGRATION)

    def cut_off(self: Any, *args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("django.db.migrations.recorder.MigrationRecorder.record_applied", cut_off)
    with pytest.raises(KeyboardInterrupt):
        migrate_space(space.pk)
    monkeypatch.undo()
    with pytest.raises(SpaceUnavailable), entered(space):
        pass
    migrate_space(space.pk)
    assert has_its_triggers(space)


def test_what_the_servers_operator_must_do_is_said(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    as_superuser(data_dir, "postgres", "alter role kndl_app nocreatedb")
    try:
        with provisioning._server_connection(owner=False) as connection, pytest.raises(CannotProvision) as refused:
            provisioning._copy_template(connection, "space_never_made")
    finally:
        as_superuser(data_dir, "postgres", "alter role kndl_app createdb")
    assert "ALTER ROLE kndl_app CREATEDB" in str(refused.value)
    assert isinstance(refused.value.__cause__, psycopg.errors.InsufficientPrivilege)
