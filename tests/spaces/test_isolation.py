"""Nobody sees what is not theirs: every REST route that the schema knows, asked by everybody, about every scope.

A new route fails here until it has a row in ROUTES.
"""

import itertools
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from django.db import connections
from drf_spectacular.generators import SchemaGenerator
from pytest_django.plugin import DjangoDbBlocker

from audit.models import AuditRow
from memory.facts.models import Consent, ContradictionDecision, Fact, InferenceRule
from memory.layers.models import DecayPass, Distillation, LayerSettings, Node, NodeStrength, Proposal, Tombstone
from memory.sessions.models import Session, SessionLine, TranscriptImport
from spaces.databases.aliases import alias_of
from spaces.databases.entering import entered
from spaces.models import Membership, Scope, Space
from tests.conftest import empty
from tests.rest.client import NDJSON, Rest, live
from tests.spaces.world import EVERY, OWN, Visitor, World, make_world, marker, memory_of, planted, session_of

Body = Callable[[str, str], Any]
Kind = Literal["read", "write", "govern", "reveal"]


@dataclass(frozen=True)
class Route:
    """How to call a route about something of one scope.

    `kind` says who may: every role reads, auditors do not write, only owners and admins govern, and they and the
    scope's own person may have a secret revealed. `path` holds the scope's name or, as `{session}`, the id that stands
    for it, or, as `{memory}`, what the numbers of its memories begin with; `body` is given the scope's name and the
    number of the call.
    """

    kind: Kind
    path: str
    method: str = "get"
    body: Body | None = None
    lines: bool = False
    one_scope: bool = False
    of_the_space: bool = False


def new_fact(scope: str, call: str) -> Any:
    return live(**{"@id": f"fact:new-{call}"})


def memories(scope: str, *digits: int) -> list[int]:
    """The numbers of memories that are planted in a scope."""
    return [int(f"{memory_of(scope)}{digit}") for digit in digits]


ROUTES: dict[str, Route] = {
    "facts_list": Route("read", "facts"),
    "facts_read": Route("read", "facts/fact:{}"),
    "facts_export": Route("read", "facts/export", one_scope=True),
    "facts_provenance": Route("read", "facts/fact:{}/provenance"),
    "facts_derived": Route("read", "facts/fact:root-{}/derived"),
    "contradictions_list": Route("read", "contradictions"),
    "rules_list": Route("read", "rules"),
    # What a predicate is holds for the whole Space, so no scope is named.
    "predicates_list": Route("read", "predicates", of_the_space=True),
    "facts_write": Route("write", "facts", "post", new_fact),
    "facts_bulk": Route("write", "facts/bulk", "post", new_fact, lines=True),
    "facts_import": Route("write", "facts/import", "post", new_fact, lines=True),
    "facts_supersede": Route("write", "facts/fact:{}/supersede", "post", new_fact),
    "facts_still_true": Route("write", "facts/fact:{}/still-true", "post", lambda scope, call: None),
    "contradictions_settle": Route(
        "write", "contradictions/decisions", "post",
        lambda scope, call: {"facts": [f"fact:{scope}", f"fact:root-{scope}"], "decision": "dismiss", "reason": "both"},
    ),
    "predicates_declare": Route(
        "write", "predicates", "post", lambda scope, call: {"predicate": "email", "multi_valued": True}
    ),
    "rules_keep": Route("write", "rules", "post", lambda scope, call: {"@id": f"rule:{call}", "name": "a rule"}),
    "consents_give": Route(
        "govern", "consents", "post",
        lambda scope, call: {"subject": "c:1", "purposes": ["care"], "granted_by": "human://c"},
    ),
    "consents_narrow": Route(
        "govern", "consents/consent:{}/narrow", "post", lambda scope, call: {"purposes": ["care"]}
    ),
    "consents_withdraw": Route("govern", "consents/consent:{}/withdraw", "post", lambda scope, call: None),
    "sessions_list": Route("read", "sessions"),
    "sessions_read": Route("read", "sessions/{session}"),
    "sessions_lines": Route("read", "sessions/{session}/lines"),
    "sessions_export": Route("read", "sessions/{session}/export"),
    "sessions_export_all": Route("read", "sessions/export", one_scope=True),
    "sessions_open": Route("write", "sessions", "post", lambda scope, call: {"client_id": f"chat {call}"}),
    "sessions_append": Route(
        "write", "sessions/{session}/lines", "post",
        lambda scope, call: {"from_index": 1, "lines": [{"role": "user", "text": f"said in call {call}"}]},
    ),
    "sessions_reveal": Route(
        "reveal", "sessions/{session}/lines/0/reveal", "post", lambda scope, call: {"reason": "to see it"}
    ),
    "transcripts_read": Route("read", "transcripts/{session}"),
    "transcripts_import": Route(
        "write", "transcripts", "post", lambda scope, call: {"role": "user", "text": "hello", "session": f"talk {call}"}
    ),
    "memories_list": Route("read", "memories"),
    "memories_read": Route("read", "memories/{memory}1"),
    "memories_lineage": Route("read", "memories/{memory}1/lineage"),
    "memories_of_line": Route("read", "sessions/{session}/lines/0/memories"),
    "memories_pin": Route("write", "memories/{memory}1/pin", "post"),
    "memories_unpin": Route("write", "memories/{memory}1/unpin", "post"),
    "memories_archive": Route("write", "memories/{memory}1/archive", "post"),
    "memories_restore": Route("write", "memories/{memory}1/restore", "post"),
    "memories_bulk": Route(
        "write", "memories/bulk", "post", lambda scope, call: {"ids": memories(scope, 6, 7), "act": "pin"}
    ),
    "memories_correct": Route(
        "write", "memories/{memory}5/correct", "post", lambda scope, call: {"text": f"corrected {call}"}
    ),
    "memories_retype": Route("write", "memories/{memory}2/retype", "post", lambda scope, call: {"type": "Insight"}),
    "memories_merge": Route(
        "write", "memories/merge", "post",
        lambda scope, call: {"ids": memories(scope, 6, 7), "into": memories(scope, 6)[0]},
    ),
    "memories_unmerge": Route("write", "memories/{memory}6/unmerge", "post"),
    # What would go: forgetting would take from later calls what they are about.
    "memories_forget": Route("write", "memories/{memory}1/forget", "post", lambda scope, call: {"preview": True}),
    "memories_forget_all": Route(
        "write", "memories/forget", "post", lambda scope, call: {"ids": memories(scope, 1), "preview": True}
    ),
    "tombstones_list": Route("read", "tombstones"),
    "tombstones_lift": Route("write", "tombstones/{memory}4/lift", "post"),
    "recall": Route("read", "recall", "post", lambda scope, call: {"query": "what was said?", "reinforce": False}),
    # Before the undoing of their run, which refuses them.
    "proposals_list": Route("read", "proposals"),
    "proposals_decide": Route(
        "write", "proposals/decisions", "post", lambda scope, call: {"ids": memories(scope, 9), "decision": "refuse"}
    ),
    "distillations_list": Route("read", "distillations"),
    "distillations_read": Route("read", "distillations/{session}"),
    "distillations_ask": Route("write", "distillations", "post", lambda scope, call: {}),
    "distillations_retry": Route("write", "distillations/{session}/retry", "post"),
    "distillations_undo": Route("write", "distillations/{session}/undo", "post"),
    # One setting and one pass for the whole Space, so no scope is named.
    "layer_settings_read": Route("read", "layers/settings", of_the_space=True),
    "layer_settings_preview": Route(
        "read", "layers/settings/preview", "post", lambda scope, call: {"fragment_tau": 20}, of_the_space=True
    ),
    "layer_settings_change": Route(
        "govern", "layers/settings", "put", lambda scope, call: {"review": False}, of_the_space=True
    ),
    "embedding_read": Route("govern", "layers/embedding", of_the_space=True),
    "embedding_move": Route(
        "govern", "layers/embedding", "post", lambda scope, call: {"embedder": "wordllama"}, of_the_space=True
    ),
    "embedding_stop": Route("govern", "layers/embedding/stop", "post", of_the_space=True),
    "decay_passes": Route("read", "layers/decay", of_the_space=True),
    "decay_next": Route("read", "layers/decay/next"),
    "decay_approve": Route("govern", "layers/decay/2020-01-01/approve", "post", of_the_space=True),
    "decay_refuse": Route("govern", "layers/decay/2020-01-01/refuse", "post", of_the_space=True),
    "decay_undo": Route("govern", "layers/decay/2020-01-02/undo", "post", of_the_space=True),
}  # fmt: skip
# Routes outside Spaces, each with a test of its own.
# Of no Space's memory: tests/seats, tests/library/test_who_may.py and tests/domains/test_who_may.py ask these.
ELSEWHERE = {"seat_read"}
OF_THE_INSTANCE = ("/api/v1/library/", "/api/v1/domains")


def operations() -> dict[str, tuple[str, str]]:
    """(method, path) of every operation that the OpenAPI description has."""
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    return {
        operation["operationId"]: (method, path)
        for path, methods in paths.items()
        for method, operation in methods.items()
        if isinstance(operation, dict)
    }


@pytest.fixture(scope="module")
def world(
    data_dir: Path,
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    space_databases: Callable[[int], uuid.UUID],
) -> Iterator[World]:
    """One world for the module, committed: what its tests write, they write beside what others look at."""
    databases = itertools.count()

    def new_space(slug: str, *, owner: Any) -> Space:
        space = Space.objects.create(id=space_databases(next(databases)), slug=slug, name=slug, state=Space.State.READY)
        empty(data_dir, alias_of(space.pk))
        Scope.objects.create(space=space, name="shared")
        Membership.objects.create(space=space, user=owner, role=Membership.Role.OWNER)
        return space

    with django_db_blocker.unblock():
        yield planted(make_world(new_space))
        connections.close_all()
        empty(data_dir, "kndl")


def call(visitor: Rest, route: Route, about: str, number: str, scope: str | None) -> Any:
    """Call `route` about the memory of `about`, naming `scope`, or none."""
    path = visitor.address(route.path.format(about, session=session_of(about), memory=memory_of(about)))
    query = {} if scope is None else {"scope": scope}
    if route.method == "get":
        return visitor.client.get(path, query)
    body = route.body(about, number) if route.body else None
    content = b"" if body is None else json.dumps(body).encode()
    kind = NDJSON if route.lines else "application/json"
    send = getattr(visitor.client, route.method)
    return send(path, content, content_type=kind, query_params=query)


def test_every_route_has_its_row():
    found = operations()
    here = {name for name, (_, path) in found.items() if not path.startswith(OF_THE_INSTANCE)}
    assert here == ROUTES.keys() | ELSEWHERE
    for name, route in ROUTES.items():
        method, path = found[name]
        assert method == route.method
        assert path.count("/") == f"/api/v1/spaces/{{space}}/{route.path}".count("/")


@pytest.mark.parametrize("name", ROUTES)
def test_nobody_sees_or_changes_memory_that_is_not_theirs(world: World, name: str):
    route = ROUTES[name]
    for who, visitor in world.visitors().items():
        scopes = ["ann", None] if visitor.turned_away else [*world.scopes, "nowhere", "", "*", None]
        for number, scope in enumerate(scopes):
            about = scope if scope in EVERY else visitor.unnamed or "shared"
            before = stock(world) if route.kind != "read" else None
            answer = call(visitor.rest, route, about, f"{who}-{number}".replace(" ", "-"), scope)
            content: bytes = answer.getvalue()
            said = f"{who} asks {name} of scope {scope!r}: {answer.status_code} {content[:300]!r}"

            assert answer.status_code in expected(route, visitor, scope), said
            assert answer.status_code in {200, 201, 202} or before is None or stock(world) == before, said
            seen = visible(route, visitor, scope)
            for other in {*EVERY, "south"} - seen:
                assert marker(other).encode() not in content, said
                assert marker(other) not in str(answer.headers), said
            if route.kind == "read" and not route.of_the_space and scope in seen:
                assert marker(scope).encode() in content, said


def stock(world: World) -> Any:
    """What north holds that a write could add to or change."""
    with entered(world.north):
        consents = Consent.objects.order_by("number").values_list("number", "purposes", "withdrawn_at")
        return (
            Fact.objects.count(),
            InferenceRule.objects.count(),
            ContradictionDecision.objects.count(),
            list(consents),
            Session.objects.count(),
            SessionLine.objects.count(),
            TranscriptImport.objects.count(),
            list(Node.objects.order_by("pk").values_list("pk", "type", "version")),
            list(NodeStrength.objects.order_by("pk").values_list("pk", "pinned", "score", "archived_at")),
            list(Tombstone.objects.order_by("pk").values_list("pk", "lifted_at")),
            list(Distillation.objects.order_by("pk").values_list("pk", "state", "undone_at")),
            list(Proposal.objects.order_by("pk").values_list("pk", "state")),
            list(DecayPass.objects.order_by("pk").values_list("pk", "state")),
            list(LayerSettings.objects.values()),
        )


# Calls repeat each other's: what was done already answers 409 or 422.
MADE = {200, 201, 202, 409, 422}


def expected(route: Route, visitor: Visitor, scope: str | None) -> set[int]:
    """The status codes that are right for this call."""
    if visitor.turned_away:
        return {visitor.turned_away}
    if route.kind == "write" and visitor.role == "auditor":
        return {403}
    if route.kind == "govern" and visitor.role in {"auditor", "member"}:
        return {403}
    if route.of_the_space:
        return {200, 202, 409} if route.kind == "govern" else {200}
    if scope == "" or (scope is None and visitor.unnamed is None):
        return {400}
    if route.kind == "reveal":
        governs, own = visitor.role in {"admin", "owner"}, visitor.role == "member" and scope == "ann"
        return {200} if own or (governs and scope in {*EVERY, "*"}) else {404}
    if scope == "*":
        if route.kind != "read" or (route.one_scope and len(visitor.sees) > 1):
            return {400}
        return {200}
    if scope is None:
        reads_several = visitor.sees not in (OWN, EVERY)
        return {400} if route.one_scope and reads_several else MADE
    allowed = visitor.sees if route.kind == "read" else visitor.writes
    return MADE if scope in allowed else {404}


def visible(route: Route, visitor: Visitor, scope: str | None) -> frozenset[str]:
    """The scopes whose markers may stand in the answer."""
    if visitor.turned_away:
        return frozenset()
    if scope == "*":
        return visitor.sees
    if scope is None:
        unnamed = visitor.sees if visitor.sees != EVERY else frozenset({"ann"})
        return unnamed if visitor.unnamed else frozenset()
    return frozenset({scope}) & visitor.sees


@pytest.mark.parametrize("name", [name for name, route in ROUTES.items() if not route.of_the_space])
def test_what_is_not_there_for_a_caller_answers_like_what_is_not_there_at_all(world: World, name: str):
    route = ROUTES[name]
    for who, visitor in world.visitors().items():
        if visitor.turned_away in {401, 403} or 403 in expected(route, visitor, "ann"):
            continue
        nowhere = Rest(visitor.rest.client, "never-made")
        missing_space = call(nowhere, route, "ann", "x", "ann")
        if visitor.turned_away:
            answer = call(visitor.rest, route, "ann", "x", "ann")
            assert same(answer, missing_space), who
            continue
        for scope in EVERY - (visitor.sees if route.kind in {"read", "reveal"} else visitor.writes):
            assert same(
                call(visitor.rest, route, scope, "x", scope), call(visitor.rest, route, scope, "x", "nowhere")
            ), who
        if "{" in route.path:
            own = visitor.unnamed or "shared"
            hidden = call(visitor.rest, route, "south", "x", own)
            for other in EVERY - {own}:
                assert same(call(visitor.rest, route, other, "x", own), hidden), (who, other)


def same(answer: Any, other: Any) -> bool:
    """Whether two answers are the same, but for the id of the request."""
    headers = [{k: v for k, v in found.headers.items() if k != "X-Request-ID"} for found in (answer, other)]
    return (
        answer.status_code == other.status_code == 404 and answer.content == other.content and headers[0] == headers[1]
    )


@pytest.mark.parametrize(
    "name", [name for name, route in ROUTES.items() if route.kind == "govern" and route.method != "get"]
)
def test_who_governs_from_a_browser_proves_first_that_it_is_them(world: World, name: str):
    for who in ("admin", "owner"):
        answer = call(world.browser(who, confirmed=False), ROUTES[name], "ben", "x", "ben")
        assert (answer.status_code, answer.json()["code"]) == (403, "confirmation_required")


def test_nobody_and_strangers_cannot_tell_which_spaces_there_are(world: World):
    visitors = world.visitors()
    for who in ("nobody", "expired token", "revoked token"):
        client = visitors[who].rest.client
        there, missing = (Rest(client, space).get("facts") for space in ("north", "never-made"))
        assert (there.status_code, there.content) == (missing.status_code, missing.content)


def looks(world: World) -> list[tuple[str, str, str]]:
    """What the Space's audit says of looks into other people's scopes."""
    with entered(world.north) as here:
        rows = AuditRow.objects.using(here.alias).filter(act__in=["memory.read_other", "scope.cross"])
        return [(row.act, row.actor_kind, row.object) for row in rows.order_by("sequence")]


@pytest.mark.parametrize(
    "name", [name for name, route in ROUTES.items() if route.kind == "read" and not route.of_the_space]
)
def test_each_look_into_another_persons_memory_is_on_record_there(world: World, name: str):
    route, visitors = ROUTES[name], world.visitors()
    for who in ("auditor", "admin", "owner"):
        before = len(looks(world))
        call(visitors[who].rest, route, "ben", "x", "ben")
        call(visitors[who].rest, route, "shared", "x", "shared")
        assert looks(world)[before:] == [("memory.read_other", "person", "scope:ben")], who
    for who in ("member", "seat", "seat that reads shared", "seat that crosses"):
        before = len(looks(world))
        call(visitors[who].rest, route, "ann", "x", "ann")
        assert looks(world)[before:] == [], who


@pytest.mark.parametrize("name", ["facts_list", "facts_write"])
def test_each_crossing_of_tenants_is_on_record_there(world: World, name: str):
    crossing = world.visitors()["seat that crosses"].rest
    before = len(looks(world))
    for scope in ("ben", "annex"):
        call(crossing, ROUTES[name], scope, f"crossing-{scope}", scope)
    assert looks(world)[before:] == [("scope.cross", "seat", "scope:ben"), ("scope.cross", "seat", "scope:annex")]


def test_a_look_at_everything_names_each_scope_it_looked_into(world: World):
    visitors = world.visitors()
    before = len(looks(world))
    visitors["owner"].rest.get("facts", scope="*")
    first = looks(world)[before:]
    assert sorted(first) == [("memory.read_other", "person", f"scope:{name}") for name in ("ann", "ben")]
    visitors["seat that crosses"].rest.get("facts", scope="*")
    then = looks(world)[before + len(first) :]
    assert {("scope.cross", "seat", f"scope:{name}") for name in ("ben", "shared", "annex")} <= set(then)


def test_a_seat_is_told_about_itself_alone(world: World):
    for who, visitor in world.visitors().items():
        answer = visitor.rest.client.get("/api/v1/seat")
        if visitor.role or who == "stranger":
            assert answer.status_code == 403
        elif visitor.turned_away == 401:
            assert answer.status_code == 401
        else:
            assert answer.json()["scope"] == ("shared" if who == "seat of south" else "ann")
