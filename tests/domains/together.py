"""A domain of two projects in one Space, and who comes to it."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from allauth.account.internal.flows.login import record_authentication
from django.conf import settings
from django.http import HttpRequest
from django.test import Client

from accounts.models import User
from audit.models import AuditRow
from domains.holding import take_up
from domains.making import make_domain
from domains.models import Domain, Evidence
from domains.places import folder_of
from seats.models import Seat, SeatToken
from seats.tokens import VERBS, hash_of, hint_of, new_token
from spaces.access import person_caller
from spaces.databases.transactions import attempted_here
from spaces.models import Project, Space
from tests.actors import Trio

CONTEXT, LOG, KEYS = "CONTEXT.md", "LOG.md", "KEYS.md"


@dataclass
class Caller:
    """Somebody at the REST routes of domains."""

    client: Client = field(default_factory=Client)

    def get(self, path: str = "", /, **query: Any) -> Any:
        return self.client.get(self._address(path), query)

    def send(self, method: str, path: str = "", body: Any = None, /, **headers: str) -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.generic(method, self._address(path), content, content_type="application/json", headers=named)

    def post(self, path: str, body: Any = None, /, **headers: str) -> Any:
        return self.send("POST", path, body, **headers)

    def put(self, path: str, body: Any, /, **headers: str) -> Any:
        return self.send("PUT", path, body, **headers)

    def rewrite(self, text: str, base: int, **more: Any) -> Any:
        return self.put("shared/context", {"text": text, **more}, If_Match=f'"{base}"')

    def _address(self, path: str) -> str:
        return f"/api/v1/domains/{path}".rstrip("/")


@dataclass
class Together:
    """`shared` has alpha and beta of north; gamma is of elsewhere. `boss` owns the instance and is in no Space."""

    trio: Trio
    boss: User
    domain: Domain
    alpha: Project
    beta: Project
    gamma: Project

    @property
    def folder(self) -> Path:
        return folder_of(self.domain)

    def settle(self) -> None:
        take_up(self.domain)

    def read(self, file: str) -> str:
        return (self.folder / file).read_text()

    def write(self, file: str, text: str | bytes) -> None:
        """Write as an editor in a seat does: in place."""
        (self.folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())

    def browser(self, who: str | User, *, confirmed: bool = True) -> Caller:
        """A browser in which somebody is signed in, who has just proved it unless said otherwise."""
        people = {"boss": self.boss} | vars(self.trio)
        user = who if isinstance(who, User) else people[who]
        client = Client()
        client.force_login(user)
        if confirmed:
            request = HttpRequest()
            request.user, request.session = user, client.session
            record_authentication(request, user, method="mfa", reauthenticated=True)
            request.session.save()
        return Caller(client)

    def seat(self, project: Project, verbs: tuple[str, ...] = VERBS) -> Caller:
        """A seat of a project."""
        scope = project.space.scopes.order_by("pk")[0]
        seat = Seat.objects.create(name=f"{project.slug} seat", space=project.space, scope=scope, project=project)
        token = new_token()
        SeatToken.objects.create(seat=seat, secret_hash=hash_of(token), hint=hint_of(token), verbs=list(verbs))
        return Caller(Client(headers={"Authorization": f"Bearer {token}"}))

    def evidence(self) -> list[tuple[str, int | None]]:
        return list(Evidence.objects.filter(domain=self.domain).order_by("at").values_list("kind", "line"))

    def domain_of(self, slug: str, *projects: Project, **more: Any) -> Domain:
        """Another domain, with its directory."""
        made = attempted_here(
            lambda act: make_domain(
                act, person_caller(self.boss), slug=slug, name=slug.title(), members=projects, **more
            )
        )
        take_up(made)
        return made


def make_project(space: Space, slug: str) -> Project:
    """A project with a folder of its own."""
    project = Project.objects.create(space=space, slug=slug, name=slug.title())
    folder_in(project).mkdir(parents=True)
    return project


def folder_in(project: Project) -> Path:
    return Path(settings.KNDL.data_dir) / "projects" / project.space.slug / project.slug


def acts(prefix: str) -> list[str]:
    """What the audit of the control database has, by name."""
    rows = AuditRow.objects.using("default").filter(act__startswith=prefix)
    return list(rows.order_by("sequence").values_list("act", flat=True))
