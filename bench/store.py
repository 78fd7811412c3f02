"""The Space that is filled and asked, reached from this process, over REST, and in bare SQL."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from django.conf import settings

from bench.reads import Read, reads, with_scope
from bench.sample import batches
from bench.service import SPACE, Service
from bench.timing import load, spread, statement_clock, timed
from kndl_site.embedded import superuser_connection
from memory.facts.importing import import_facts
from seats.authentication import caller_of_token
from seats.models import SeatToken
from seats.tokens import hash_of
from spaces.access import Binding, bind, find_space
from spaces.databases.entering import entered

WARM_UP = 30
# Of what is loaded a fifth goes through REST, and at most so many.
MOST_THROUGH_REST = 40_000
PIECE = 2_000


@contextmanager
def opened(service: Service) -> Iterator["Store"]:
    """The Space of a running service, with this process bound in it as the service's token is."""
    token = SeatToken.objects.select_related("seat").get(secret_hash=hash_of(service.token))
    caller = caller_of_token(token)
    space = find_space(caller, SPACE)
    with entered(space) as here, superuser_connection(settings.KNDL.data_dir, here.alias) as bare:
        yield Store(service, bind(caller, space, []), here.alias, bare)


@dataclass(frozen=True)
class Store:
    """A service, the way into its Space from this process, and a bare connection to the same database."""

    service: Service
    binding: Binding
    alias: str
    bare: psycopg.Connection[Any]

    def count(self) -> int:
        """How many facts it holds."""
        return self._number("select count(*) from fact")

    def measured(self, count: int, rounds: int, say: Callable[[str], object]) -> dict[str, Any]:
        """Bring it to `count` facts, ask it everything, and return the times."""
        present = self.count()
        say(f"{count:,} facts: importing {count - present:,}")
        imported = self._load(present, count) if count > present else None
        # As autovacuum would do by itself in a while.
        self.bare.execute("vacuum analyze")
        answered = {}
        for read in reads(count, rounds):
            say(f"{count:,} facts: {read.name}")
            answered[read.name] = self._asked(read)
        return {"facts": count, "import": imported, "reads": answered}

    def _load(self, first: int, end: int) -> dict[str, Any]:
        split = end - min((end - first) // 5, MOST_THROUGH_REST)
        return {
            "function": _rate(first, split, lambda lines: import_facts(self.binding, lines).document()),
            "rest": _rate(split, end, lambda lines: self.service.send("facts/import", b"".join(lines))),
            "bare": self._copied(end - split),
        }

    def _copied(self, count: int) -> dict[str, Any]:
        """The rival of an import: the latest rows, copied into a table with the same indexes and no more."""
        self.bare.execute("drop table if exists bench_fact")
        self.bare.execute("create table bench_fact (like fact including all)")
        last = self._number("select max(number) from fact")
        pieces = []
        for start in range(last - count, last, PIECE):
            rows = f"select * from fact where number > {start} and number <= {start + PIECE}"  # noqa: S608 - integers
            with self.bare.cursor() as cursor, cursor.copy(f"copy ({rows}) to stdout") as copy:
                pieces.append(b"".join(bytes(block) for block in copy))

        def put(piece: bytes) -> None:
            with self.bare.cursor() as cursor, cursor.copy("copy bench_fact from stdin") as copy:
                copy.write(piece)

        spent = sum(timed(lambda piece=piece: put(piece)) for piece in pieces) / 1_000  # type: ignore[misc]
        self.bare.execute("drop table bench_fact")
        return {"facts": count, "a_second": round(count / spent), "load": load()}

    def _asked(self, read: Read) -> dict[str, Any]:
        """A question's times: of its statements, the function around them, REST, and the bare rows."""
        for target in read.targets[:WARM_UP]:
            self._ask_once(read, target)
        asked = [self._ask_once(read, target) for target in read.targets]
        times = {name: vars(spread([each[name] for each in asked])) for name in asked[0] if name != "statements"}
        return times | {"statements": max(int(each["statements"]) for each in asked), "load": load()}

    def _ask_once(self, read: Read, target: str) -> dict[str, float]:
        """The four in turn on one target, so that whatever else the machine does falls on all of them alike."""
        with statement_clock(self.alias) as clock:
            function = timed(lambda: read.ask(self.binding, target))
        route, params = read.route(target)
        values = with_scope(read.values(target), self.binding.one.pk)
        return {
            "database": clock.spent,
            "function": function,
            "rest": timed(lambda: self.service.get(route, **params)),
            "bare": timed(lambda: self.bare.execute(read.bare, values).fetchall()),
            "statements": clock.statements,
        }

    def _number(self, sql: str) -> int:
        row = self.bare.execute(sql).fetchone()
        return int(row[0]) if row else 0


def _rate(first: int, end: int, take: Callable[[list[bytes]], Any]) -> dict[str, Any]:
    """Facts a second, without the time that making them took. Raises RuntimeError when one is refused."""
    spent = 0.0
    for lines in batches(first, end):
        started = time.perf_counter()
        outcome = take(lines)
        spent += time.perf_counter() - started
        if outcome["imported"] != len(lines):
            raise RuntimeError(f"an import was refused: {outcome['errors'][:1]}")
    return {"facts": end - first, "a_second": round((end - first) / spent), "load": load()}
