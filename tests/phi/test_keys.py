"""Wrapped keys: under which root they open, what goes on when it changes, and what a rotation may leave behind."""

import secrets
from typing import Any

import pytest

from audit.recording import audited
from common.errors import Unavailable
from memory.keys.keeping import behind, rewrap_space
from memory.keys.models import DataKey
from spaces import keys
from spaces.access import SYSTEM_CALLER
from spaces.databases.entering import entered
from spaces.models import KeyEncryptionKey
from tests.phi.patients import consent, stored_phi
from tests.rest.client import Rest


@pytest.fixture(autouse=True)
def _nothing_opened_yet():
    keys._opened.clear()
    yield
    keys._opened.clear()


def new_root(settings: Any) -> str:
    """Change the root key; returns the old one."""
    old: str = settings.KNDL_ROOT_KEY
    settings.KNDL_ROOT_KEY = secrets.token_urlsafe(48)
    return old


def test_a_data_key_opens_in_its_own_place_alone(db: None):
    number, wrapped = keys.wrap(b"k" * 32, "here")
    assert keys.unwrap(number, wrapped, "here") == b"k" * 32
    with pytest.raises(Unavailable):
        keys.unwrap(number, wrapped, "there")
    with pytest.raises(Unavailable):
        keys.unwrap(number + 1, wrapped, "here")


def test_under_another_root_key_nothing_opens_and_nothing_is_wrapped(db: None, settings: Any):
    number, wrapped = keys.wrap(b"k" * 32, "here")
    new_root(settings)
    keys._opened.clear()
    for act in (lambda: keys.unwrap(number, wrapped, "here"), lambda: keys.wrap(b"k" * 32, "here")):
        with pytest.raises(Unavailable, match="KNDL_ROOT_KEY"):
            act()


def test_a_process_goes_on_when_another_one_has_wrapped_its_keys_under_a_new_root(db: None, settings: Any):
    number, wrapped = keys.wrap(b"k" * 32, "here")
    old = new_root(settings)
    with audited("default") as act:
        assert keys.rewrap_all_under_root(act, SYSTEM_CALLER, old) == 1
    settings.KNDL_ROOT_KEY = old

    assert keys.unwrap(number, wrapped, "here") == b"k" * 32
    again = keys.wrap(b"n" * 32, "here")
    assert keys.unwrap(*again, "here") == b"n" * 32


def test_wrapping_under_a_new_root_may_be_repeated_and_refuses_a_key_that_opens_under_neither(db: None, settings: Any):
    keys.wrap(b"k" * 32, "here")
    old = new_root(settings)
    for expected in (1, 0):
        with audited("default") as act:
            assert keys.rewrap_all_under_root(act, SYSTEM_CALLER, old) == expected
    KeyEncryptionKey.objects.update(wrapped=b"x" * 60)
    with pytest.raises(Unavailable, match="neither"), audited("default") as act:
        keys.rewrap_all_under_root(act, SYSTEM_CALLER, old)


def test_a_rotation_wraps_every_data_key_and_changes_no_fact(north: Any, rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a"))
    with audited("default") as act:
        number = keys.rotate(act, SYSTEM_CALLER)
    with entered(north):
        waiting = behind()
        assert waiting >= 1
        assert rewrap_space(SYSTEM_CALLER) == (waiting, 0)
        assert behind() == 0
        assert set(DataKey.objects.values_list("wrapped_by", flat=True)) == {number}
    assert rest.ids(purpose="treatment") == ["fact:a"]


def test_a_data_key_that_does_not_open_is_left_behind_and_does_not_stop_the_others(north: Any, rest: Rest):
    consent(rest)
    consent(rest, name="consent:c2", subject="patient:2")
    rest.imported(stored_phi("a"), stored_phi("b", subject="patient:2", consent="consent:c2"))
    with audited("default") as act:
        keys.rotate(act, SYSTEM_CALLER)
    with entered(north):
        broken = DataKey.objects.exclude(subject=None).order_by("number")[0]
        DataKey.objects.filter(pk=broken.pk).update(wrapped=b"x" * 60)
        waiting = behind()
        assert rewrap_space(SYSTEM_CALLER, batch=1) == (waiting - 1, 1)
        assert behind() == 1


def test_a_destroyed_key_stays_destroyed(north: Any, rest: Rest):
    consent(rest)
    rest.imported(stored_phi("a"))
    with entered(north):
        DataKey.objects.exclude(subject=None).update(wrapped=None)
    assert rest.ids(purpose="treatment") == []
    assert rest.get("facts/fact:a", purpose="treatment").status_code == 404
    with audited("default") as act:
        keys.rotate(act, SYSTEM_CALLER)
    with entered(north):
        rewrap_space(SYSTEM_CALLER)
        assert DataKey.objects.filter(wrapped=None).count() == 1
