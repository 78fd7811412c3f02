"""A value of KEYS stands in its own file and in sealed rows, and nowhere else on the instance."""

import secrets
import subprocess
from pathlib import Path

import pytest
from django.db import connections

from common.errors import Unavailable
from domains import rows, sealing
from domains.models import Domain, DomainKey
from domains.rows import content_of
from domains.ticking import tick
from spaces import keys as instance_keys
from spaces.access import SYSTEM_CALLER
from spaces.databases.entering import entered
from spaces.databases.transactions import attempted_here
from tests.domains.together import CONTEXT, KEYS, LOG, Together, folder_in
from tests.environment import FOLDER

_TEXT = "select table_name, column_name from information_schema.columns where table_schema = 'public'"


def rows_with(using: str, mark: str) -> list[str]:
    """The columns of a database in which the mark stands, as text or as bytes."""
    found = []
    with connections[using].cursor() as cursor:
        cursor.execute(_TEXT)
        for table, column in cursor.fetchall():
            cursor.execute(
                f'select 1 from "{table}" where "{column}"::text like %s or "{column}"::text like %s limit 1',
                [f"%{mark}%", f"%{mark.encode().hex()}%"],
            )
            if cursor.fetchone():
                found.append(f"{table}.{column}")
    return found


def files_with(folder: Path, mark: str) -> list[str]:
    """The files below a folder in which the mark stands."""
    words = ["grep", "-rlaI", "--binary-files=text", "-e", mark, str(folder)]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120).stdout.split()


def everything_that_could_spill(together: Together, mark: str) -> list[bytes]:
    """Lead the mark through every way in; returns what was answered."""
    owner, seat = together.browser("owner"), together.seat(together.alpha)
    answers = [
        owner.put("shared/keys/PAYER", {"value": mark}),
        owner.put("shared/keys/PAYER", {"value": f"{mark}\n"}),
        owner.put("shared/keys/TOO_LONG", {"value": mark * 900}),
        owner.put("shared/keys/TWICE", {"value": mark, "more": mark}),
        seat.rewrite(f"# Shared\n{mark}\n", 1),
        seat.post("shared/log", {"change": f"the key is {mark}"}),
        owner.get("shared/keys"),
    ]
    for file, text in [
        (KEYS, f"# {mark}\nPAYER={mark}\nOTHER={mark}2\nodd {mark}\n"),
        (LOG, f"key {mark}\n"),
        (CONTEXT, f"# Shared {mark}\n"),
    ]:
        together.write(file, text)
        tick()
    together.write(KEYS, f"PAYER={mark}\n".encode() + b"\xff\n")
    tick()
    (folder_in(together.alpha) / "README.md").write_text("# Alpha\n")
    together.seat(together.beta).get("shared/keys")
    answers += [owner.get("shared/evidence"), seat.get("shared/context"), seat.get("shared/log"), owner.get("shared")]
    return [answer.content for answer in answers]


def test_a_value_is_found_nowhere_but_in_its_own_file(together: Together, data: Path, capfd):
    mark = f"quiet{secrets.token_hex(8)}"
    answers = everything_that_could_spill(together, mark)
    assert mark in together.read(KEYS)
    assert not [answer for answer in answers if mark.encode() in answer]
    assert rows_with("default", mark) == []
    for space in (together.trio.space, together.trio.elsewhere):
        with entered(space) as here:
            assert rows_with(here.alias, mark) == []
    assert files_with(data, mark) == [str(together.folder / KEYS)]
    assert set(files_with(FOLDER, mark)) <= {str(together.folder / KEYS)}
    out, err = capfd.readouterr()
    assert mark not in out + err
    assert rows.key_values(together.domain)[0] == mark


def test_a_sealed_value_opens_in_its_own_place_alone(together: Together):
    together.write(KEYS, "A=value of a\nB=value of b\n")
    together.settle()
    first, second = DomainKey.objects.order_by("position")
    first.sealed, second.sealed = second.sealed, first.sealed
    first.save()
    with pytest.raises(Exception, match="does not open"):
        rows.opened_key(together.domain, first)


def test_keys_open_under_the_root_key_alone_and_are_wrapped_anew_at_a_rotation(together: Together, settings):
    together.write(KEYS, "A=value of a\n")
    together.settle()
    attempted_here(lambda act: instance_keys.rotate(act, SYSTEM_CALLER))
    assert sealing.rewrap(SYSTEM_CALLER) == (1, 0)
    assert sealing.rewrap(SYSTEM_CALLER) == (0, 0)
    domain = Domain.objects.get(pk=together.domain.pk)
    assert content_of(domain, KEYS) == b"A=value of a\n"
    instance_keys._opened.clear()
    settings.KNDL_ROOT_KEY = "another root key that is long enough"
    with pytest.raises(Unavailable):
        content_of(domain, KEYS)
