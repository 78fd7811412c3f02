"""The pages of domains as somebody in a browser walks them."""

from dataclasses import dataclass
from typing import Any

from django.test import Client

from spaces.models import Membership
from tests.actors import make_user
from tests.domains.together import KEYS, Together
from tests.pages.reading import Page, page_of

PAGES = "/spaces/north/domains"
SHARED = f"{PAGES}/shared"
VALUE = "marmalade-on-tuesdays-7"

READS = ["", "/access", "/revisions", "/revisions/1", "/revisions/difference?earlier=1&later=1", "/log"]
WRITES = ["/context"]
KEEPS = ["/keys/set", "/keys/PAYER/delete", "/evidence"]
GOVERNS = ["/members", "/retire"]


@dataclass
class Walker:
    """A browser at the pages of the domain `shared`."""

    client: Client

    def look(self, path: str = "", **query: Any) -> Page:
        return page_of(self.client.get(f"{SHARED}{path}", query or None))

    def send(self, path: str, **sent: Any) -> Any:
        return self.client.post(f"{SHARED}{path}", sent)

    def rewrite(self, text: str, base: int = 1, **more: Any) -> Any:
        return self.send("/context", text=text, base=str(base), **more)

    def add(self, change: str, day: str = "2026-01-05", project: str = "alpha") -> Any:
        return self.send("/log", change=change, date=day, project=project)


def walker(together: Together, who: str, *, confirmed: bool = True) -> Walker:
    """Somebody's browser; `boss` becomes a member of the Space, so that there are pages for them."""
    if who == "boss":
        Membership.objects.get_or_create(space=together.trio.space, user=together.boss, defaults={"role": "member"})
    if who == "auditor" and not hasattr(together.trio, "auditor"):
        auditor = make_user("auditor")
        Membership.objects.create(space=together.trio.space, user=auditor, role="auditor")
        together.trio.auditor = auditor  # type: ignore[attr-defined]
    return Walker(together.browser(who, confirmed=confirmed).client)


def with_key(together: Together) -> None:
    """Let the domain have one key."""
    together.write(KEYS, f"PAYER={VALUE}\n")
    together.settle()
