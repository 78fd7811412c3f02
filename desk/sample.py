"""A Space with sample memory: an invented bookkeeping team for clinics. All of it is our own; nobody is meant by it."""

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from accounts.models import User
from audit.recording import Act, audited
from common.errors import Conflict
from common.jsonio import dumps
from common.strict import validated
from common.times import format_instant
from desk.sample_domains import make_sample_domain
from desk.sample_library import fill_sample_library
from desk.sample_sessions import hold_conversations
from memory.facts.holding import place_hold
from memory.facts.importing import import_facts
from memory.facts.inference_rules import keep_rule
from memory.facts.reading import FactQuery, count_facts
from memory.phi.consents import ConsentInput, give_consent
from spaces.access import SYSTEM_CALLER, Binding
from spaces.databases.entering import entered
from spaces.databases.transactions import attempted
from spaces.making import make_space
from spaces.members import add_member
from spaces.models import Membership, Scope, Space

SLUG = "demo"
NAME = "Clinic Ledger"
ZONE = "Europe/Lisbon"
FOLDER = Path(__file__).parent / "sample_memory"

# In the files these hold days from the moment the Space was made, so that the memory is always a few months old.
_TIMES = ("recordedAt", "validFrom", "validUntil", "observedAt", "valid_from", "valid_until", "startedAt")


def make_sample_space() -> Space:
    """The sample Space, made and filled when it is not there yet; returns it.

    The owner of the instance, if there is one, becomes its owner. A Space of that slug which somebody else made is left
    alone. Each folder of the sample is the memory of one scope that the whole Space shares. The Library gets files if
    it never had one, and the instance a shared domain.
    """
    space = Space.objects.filter(slug=SLUG).first()
    if space is None:
        space = make_space(SYSTEM_CALLER, SLUG, NAME, zone=ZONE)
    if space.name != NAME or space.state != Space.State.READY:
        return space
    _give_to_owner(space)
    for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        _fill(space, _scope(space, folder.name), folder)
    fill_sample_library()
    make_sample_domain(space)
    return space


def sample_documents(file: Path, now: datetime) -> Iterator[dict[str, Any]]:
    """What one file holds, as if the months before `now` had been lived through; nothing where there is no file."""
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
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


def _fill(space: Space, scope: Scope, folder: Path) -> None:
    """Fill a scope with facts and with conversations, each where there are none: what was erased does not come back."""
    binding, made_at = Binding(space, SYSTEM_CALLER, (scope,)), space.made_at.replace(microsecond=0)
    with entered(space):
        if not count_facts(binding, FactQuery(include_superseded=True, include_expired=True), most=1):
            _state_facts(binding, folder, made_at)
        hold_conversations(binding, sample_documents(folder / "sessions.jsonl", made_at))


def _state_facts(binding: Binding, folder: Path, made_at: datetime) -> None:
    """The facts come in one transaction, after the rules and consents that they name.

    Those stay as they are when an earlier try was cut off in between.
    """
    for document in sample_documents(folder / "rules.jsonl", made_at):
        attempted(partial(keep_rule, binding=binding, document=document))
    for document in sample_documents(folder / "consents.jsonl", made_at):
        attempted(partial(_give_once, binding=binding, document=document))
    documents = sample_documents(folder / "facts.jsonl", made_at)
    outcome = import_facts(binding, [dumps(document).encode() for document in documents])
    if outcome.errors:
        raise RuntimeError(f"the sample memory was refused: {outcome.errors[0]}")
    for hold in sample_documents(folder / "holds.jsonl", made_at):
        attempted(partial(place_hold, binding=binding, fact_id=hold["fact"], reason=hold["reason"]))


def _give_once(act: Act, binding: Binding, document: dict[str, Any]) -> None:
    try:
        give_consent(act, binding, validated(ConsentInput, document), "")
    except Conflict:
        act.record(SYSTEM_CALLER.actor, "consent.give", document["id"], scope=binding.one.pk, unchanged=True)
