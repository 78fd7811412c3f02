"""A Space with sample memory: an invented bookkeeping team for clinics. All of it is our own; nobody is meant by it."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from accounts.models import User
from audit.recording import audited
from common.jsonio import dumps
from common.times import format_instant
from memory.facts.importing import import_facts
from memory.facts.reading import FactQuery, count_facts
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.making import make_space
from spaces.members import add_member
from spaces.models import Membership, Scope, Space

SLUG = "demo"
NAME = "Clinic Ledger"
ZONE = "Europe/Lisbon"
FOLDER = Path(__file__).parent / "sample_memory"

# In the files these hold days from the moment the Space was made, so that the memory is always a few months old.
_TIMES = ("recordedAt", "validFrom", "validUntil", "observedAt")


def make_sample_space() -> Space:
    """The sample Space, made and filled when it is not there yet; returns it.

    The owner of the instance, if there is one, becomes its owner. A Space of that slug which somebody else made is left
    alone. Each file of the sample is the memory of one scope that the whole Space shares.
    """
    space = Space.objects.filter(slug=SLUG).first()
    if space is None:
        space = make_space(SYSTEM_CALLER, SLUG, NAME, zone=ZONE)
    if space.name != NAME or space.state != Space.State.READY:
        return space
    _give_to_owner(space)
    for file in sorted(FOLDER.glob("*.jsonl")):
        _fill(space, _scope(space, file.stem), file)
    return space


def sample_documents(file: Path, now: datetime) -> Iterator[dict[str, Any]]:
    """The facts of one file, as if the months before `now` had been lived through."""
    for line in file.read_text("utf-8").splitlines():
        document = json.loads(line)
        for name in _TIMES:
            if name in document:
                document[name] = format_instant(now + timedelta(days=document[name]))
        yield document


def _give_to_owner(space: Space) -> None:
    owner = User.objects.filter(instance_role=User.InstanceRole.OWNER).first()
    if owner is None or Membership.objects.filter(space=space, role=Membership.Role.OWNER).exists():
        return
    with audited("default") as act:
        add_member(act, SYSTEM_CALLER, space, owner, Membership.Role.OWNER)


def _scope(space: Space, name: str) -> Scope:
    found = Scope.objects.filter(space=space, name=name).first()
    if found is not None:
        return found
    with audited("default") as act:
        act.record(SYSTEM_CALLER.actor, "scope.make", f"scope:{name}", space=space.slug)
        return Scope.objects.create(space=space, name=name)


def _fill(space: Space, scope: Scope, file: Path) -> None:
    """Import the file into a scope that holds nothing, in one transaction: what was erased later does not come back."""
    binding = Binding(space, SYSTEM_CALLER, (scope,))
    with entered(space):
        if count_facts(binding, FactQuery(include_superseded=True, include_expired=True), most=1):
            return
        documents = sample_documents(file, space.made_at.replace(microsecond=0))
        outcome = import_facts(binding, [dumps(document).encode() for document in documents])
    if outcome.errors:
        raise RuntimeError(f"the sample memory was refused: {outcome.errors[0]}")
