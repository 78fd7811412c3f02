"""The Space that is measured: scopes full of memories, a seat in each, reached from this process and over REST."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import psycopg
from django.conf import settings

from bench.layers.shelving import shelved
from bench.layers.sizes import A_SCOPE, BOOKS
from bench.service import SPACE, Service
from bench.timing import load as load_average
from kndl_site.embedded import superuser_connection
from memory.layers.models import LayerSettings, ScopeStat
from memory.layers.settings import layer_settings
from seats.authentication import caller_of_token
from seats.making import make_seat
from seats.models import SeatToken
from seats.tokens import hash_of
from spaces.access import SYSTEM_CALLER, Binding, bind
from spaces.databases.entering import entered
from spaces.models import Space

OWNER = "Bench"


class Rest(Protocol):
    """What answers requests: a service, or in a test the product in its own process."""

    def post(self, route: str, document: Any, token: str) -> Any:
        """The answer to a document. Raises RuntimeError for a refusal."""


@dataclass(frozen=True)
class Seated:
    """A scope with a seat in it. `book` is the number of the book that is loaded there."""

    binding: Binding
    token: str
    book: int = -1

    @property
    def scope(self) -> int:
        return self.binding.one.pk


@dataclass(frozen=True)
class Store:
    """A Space one is in, its scopes of `a_scope` fragments each, and a bare connection of the superuser."""

    rest: Rest
    space: Space
    alias: str
    bare: psycopg.Connection[Any]
    scopes: Sequence[Seated]
    a_scope: int = A_SCOPE

    @property
    def fragments(self) -> int:
        return len(self.scopes) * self.a_scope


@contextmanager
def opened(service: Service, fragments: int, say: Callable[[str], object]) -> Iterator[tuple[Store, dict[str, Any]]]:
    """The Space of a running service with so many live fragments in it, and how their loading went."""
    space = Space.objects.get(slug=SPACE)
    with entered(space) as here, superuser_connection(settings.KNDL.data_dir, here.alias) as bare:
        quiet()
        count = fragments // A_SCOPE
        scopes = [seated(space, f"bench {number:03}", book=number % BOOKS) for number in range(count)]
        store = Store(service, space, here.alias, bare, scopes)
        yield store, filled(store, say)


def quiet() -> None:
    """Let nothing be archived or distilled by itself: what is measured is done by the bench."""
    layer_settings()
    LayerSettings.objects.update(fragment_threshold=0, event_threshold=0, idle_minutes=10_080, full_lines=100_000)


def seated(space: Space, assistant: str = "", *, book: int = -1) -> Seated:
    """The scope of this assistant with a new seat in it; without a name a scope that nobody has used yet."""
    seat, token = make_seat(SYSTEM_CALLER, space, assistant=assistant, owner=OWNER, new_scope=not assistant)
    caller = caller_of_token(SeatToken.objects.select_related("seat").get(seat=seat, secret_hash=hash_of(token)))
    return Seated(bind(caller, space, []), token, book)


def filled(store: Store, say: Callable[[str], object]) -> dict[str, Any]:
    """Load what is missing; returns rows (nodes, links, lines) a second, with the time that making books took."""
    full = set(ScopeStat.objects.filter(rows__gt=0).values_list("scope", flat=True))
    books: dict[int, list[int]] = {}
    for one in store.scopes:
        if one.scope not in full:
            books.setdefault(one.book, []).append(one.scope)
    if not books:
        return {"rows": 0, "a_second": None, "load": load_average()}
    started, rows = time.perf_counter(), 0
    for rows_of_book in shelved(str(store.space.pk), books, store.a_scope):
        rows += rows_of_book
        say(f"loaded {rows:,} rows in {time.perf_counter() - started:.0f} s")
    found = {"rows": rows, "a_second": round(rows / (time.perf_counter() - started)), "load": load_average()}
    # As autovacuum would do by itself in a while.
    store.bare.execute("vacuum analyze")
    return found
