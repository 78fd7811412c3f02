"""Two Spaces full of marked memory, and everybody who may come to look."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from django.http import HttpRequest
from django.test import Client

from accounts.models import User
from audit.recording import SYSTEM
from common.times import now
from memory.layers.indexing import index_nodes
from memory.layers.models import DecayPass, Distillation, Node, NodeSource, NodeStrength, Proposal, Tombstone
from memory.sessions.models import Session, TranscriptImport
from spaces.databases.entering import entered
from spaces.databases.transactions import memory_transaction
from spaces.models import Membership, Scope, Space
from tests.accounts.factors import give_app
from tests.actors import make_scope, make_seat_token
from tests.rest.client import Rest, bearer, live, seat

OWN, SHARED, EVERY = frozenset({"ann"}), frozenset({"shared", "annex"}), frozenset({"ann", "ben", "shared", "annex"})
WRITER = (
    "facts:read", "facts:write", "facts:import", "sessions:write", "memory:read", "memory:write", "consents:write",
    "memory:govern",
)  # fmt: skip


def marker(scope: str) -> str:
    """The word that only memory of this scope holds."""
    return f"marker{scope}zq"


@dataclass(frozen=True)
class Visitor:
    """Who comes to look at north: which scopes they see, where they may write, and how they are turned away."""

    rest: Rest
    sees: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    unnamed: str | None = None
    turned_away: int | None = None
    role: str | None = None


@dataclass
class World:
    """north has a scope of ann, one of ben, and two shared ones; south is somebody else's."""

    north: Space
    south: Space
    people: dict[str, User] = field(default_factory=dict)
    scopes: dict[str, Scope] = field(default_factory=dict)

    def visitors(self) -> dict[str, Visitor]:
        """Everybody, by what they are."""
        ann = self.scopes["ann"]
        past = now() - timedelta(seconds=1)
        token = make_seat_token
        return {
            "nobody": Visitor(Rest(), turned_away=401),
            "expired token": Visitor(bearer(token(self.north, scope=ann, expires_at=past)), turned_away=401),
            "revoked token": Visitor(bearer(token(self.north, scope=ann, revoked_at=past)), turned_away=401),
            "stranger": Visitor(self.browser("stranger"), turned_away=404),
            "seat of south": Visitor(bearer(token(self.south)), turned_away=404),
            "seat": Visitor(seat(self.north, scope=ann, verbs=WRITER), OWN, OWN, "ann"),
            "seat without verbs": Visitor(seat(self.north, scope=ann, verbs=()), turned_away=403),
            "seat that reads shared": Visitor(
                seat(self.north, scope=ann, verbs=WRITER, reads_shared=True), OWN | SHARED, OWN, "ann"
            ),
            "seat that crosses": Visitor(
                seat(self.north, scope=ann, verbs=(*WRITER, "cross_tenant")), EVERY, EVERY, "ann"
            ),
            "member": Visitor(self.browser("ann"), OWN | SHARED, OWN | SHARED, role="member"),
            "auditor": Visitor(self.browser("auditor"), EVERY, role="auditor"),
            "admin": Visitor(self.browser("admin"), EVERY, EVERY, role="admin"),
            "owner": Visitor(self.browser("owner"), EVERY, EVERY, role="owner"),
        }

    def browser(self, name: str, *, confirmed: bool = True) -> Rest:
        """A browser in which somebody is signed in, and has just proved that it is them."""
        client = Client()
        client.force_login(self.people[name])
        if confirmed:
            request = HttpRequest()
            request.user, request.session = self.people[name], client.session
            record_authentication(request, request.user, method="mfa", reauthenticated=True)
            request.session.save()
        return Rest(client)


def make_world(new_space: Callable[..., Any]) -> World:
    """Make the Spaces, their people and their scopes, all of them empty."""
    people = {name: _person(name) for name in ("ann", "ben", "auditor", "admin", "owner", "stranger")}
    north, south = new_space("north", owner=people["owner"]), new_space("south", owner=people["stranger"])
    for name, role in {"ann": "member", "ben": "member", "auditor": "auditor", "admin": "admin"}.items():
        Membership.objects.create(space=north, user=people[name], role=role)
    for name in ("auditor", "admin", "owner", "stranger"):
        give_app(people[name])
    world = World(north, south, people)
    world.scopes = {
        "shared": north.scopes.get(),
        "annex": make_scope(north, "annex"),
        "ann": make_scope(north, "ann", people["ann"]),
        "ben": make_scope(north, "ben", people["ben"]),
    }
    return world


def planted(world: World) -> World:
    """Plant markers in every scope."""
    for name, scope in world.scopes.items():
        plant(seat(world.north, scope=scope), name)
        plant_session(world.north, scope, name)
        plant_memories(world.north, scope, name)
    plant_passes(world.north)
    plant(seat(world.south), "south")
    plant_session(world.south, world.south.scopes.get(), "south")
    plant_memories(world.south, world.south.scopes.get(), "south")
    return world


def plant(rest: Rest, name: str) -> None:
    """Fill a scope with everything memory can hold, its marker in every field that takes one."""
    word = marker(name)
    claim = {"subject": f"{word} subject", "predicate": f"{word} predicate"}
    more = {"statement": f"says {word}", "source": f"https://{word}.example/", "x:note": word, "inference": "rule:1"}
    rest.written(**{"@id": f"fact:root-{name}"}, **more, **claim, object=word)
    rest.written(**{"@id": f"fact:{name}"}, **more, **claim, object=[word], derivedFrom=[f"fact:root-{name}"])
    # A contradiction that no route settles.
    for number in (1, 2):
        rest.written(**more, subject=f"{word} other", predicate=f"{word} other", object=number)
    rest.written(**{"@id": f"fact:old-{name}"}, **more)
    assert rest.post(f"facts/fact:old-{name}/supersede", live(**more)).status_code == 201
    consent = {"id": f"consent:{name}", "subject": f"{word} subject", "purposes": ["care", "billing"]}
    assert rest.post("consents", consent | {"granted_by": f"human://{word}", "evidence": word}).status_code == 201
    assert rest.post("rules", {"@id": "rule:1", "name": f"rule {word}", "text": word}).status_code == 201


def session_of(scope: str) -> str:
    """The id of the session that is planted in a scope, and of an import there."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, scope))


def plant_session(space: Space, scope: Scope, name: str) -> None:
    """A session with one line, and the import of a transcript, under ids that are known beforehand."""
    rest, word = seat(space, scope=scope), marker(name)
    made = rest.post("sessions", {"client_id": word, "title": f"about {word}"}).json()["id"]
    with entered(space):
        Session.objects.filter(pk=made).update(id=session_of(name))
        TranscriptImport.objects.create(id=session_of(name), scope=scope.pk, name=word, size=1, asked_by="seat:1")
    line = {"role": "user", "speaker": word, "text": f"said {word}", "note": word}
    answer = rest.post(f"sessions/{session_of(name)}/lines", {"from_index": 0, "lines": [line]})
    assert answer.status_code == 200, answer.content


def memory_of(scope: str) -> str:
    """What the numbers of the memories planted in a scope begin with; a digit behind it tells them apart."""
    return f"7{('ann', 'annex', 'ben', 'shared', 'south').index(scope)}00"


def plant_memories(space: Space, scope: Scope, name: str) -> None:
    """Fragments 1, 5, 6, 7 and 8, of which 8 is about to fade, a concept 2, and the sign 4 of a forgotten memory."""
    word = marker(name)
    common = {"layer": 1, "type": "Fragment", "text": f"said {word}", "attributes": {"speaker": word}}
    with entered(space), memory_transaction() as act:
        act.record(SYSTEM, "test.plant")
        for digit in "156782":
            number = int(memory_of(name) + digit)
            values = common | {"name": f"{word} {digit}", "formed_at": now()}
            values |= {"layer": 3, "type": "Topic"} if digit == "2" else {}
            Node.objects.create(id=number, scope=scope.pk, **values)
            strength = {"scope": scope.pk, "score": 0.01 if digit == "8" else 1.0, "tau": 14.0}
            NodeStrength.objects.create(node_id=number, layer=3 if digit == "2" else 1, scored_at=now(), **strength)
            NodeSource.objects.create(node_id=number, scope=scope.pk, session=session_of(name), first=0, last=0)
            index_nodes(scope.pk, [number])
        run = Distillation.objects.create(
            id=session_of(name), scope=scope.pk, trigger="manual", state="failed", asked_by="seat:1", reason=word
        )
        Proposal.objects.create(
            id=int(memory_of(name) + "9"), run=run, scope=scope.pk, batch=run.pk, kind="fragment", key="f1",
            body={"text": f"said {word}", "sources": [[session_of(name), 0, 0]]},
        )  # fmt: skip
        Tombstone.objects.create(
            id=int(memory_of(name) + "4"), scope=scope.pk, kind="text", layer=1, digest=b"", node=1, at=now(),
            by="seat:1", reason=word,
        )  # fmt: skip


def plant_passes(space: Space) -> None:
    """A decay pass that nobody may decide any more, and a later one that can be undone."""
    with entered(space):
        for day, state in ((1, "stopped"), (2, "done")):
            DecayPass.objects.create(date=date(2020, 1, day), at=datetime(2020, 1, day, tzinfo=UTC), state=state)


def _person(name: str) -> User:
    user = User(email=f"{name}@example.test", name=name.title())
    user.set_unusable_password()
    user.save()
    return user
