"""`python -m bench facts`: how fast facts are taken in and found, and whether that depends on how many there are."""

import shutil
import statistics
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

from bench.sample import BLOCK, batches
from bench.service import SPACE, Service, running

if TYPE_CHECKING:
    import psycopg

    from spaces.access import Binding

ROUNDS = 300
WARM_UP = 30
STEPS = (10_000, 100_000, 1_000_000)
# Of each load, how much goes through REST: a fifth, and at most so many.
THROUGH_REST = 40_000


def add_arguments(parser: ArgumentParser) -> None:
    """The flags of this bench."""
    parser.add_argument("--facts", type=int, default=STEPS[-1], help="how many facts (1,000,000); a multiple of 10,000")
    parser.add_argument("--growth", action="store_true", help="measure at 10,000 and 100,000 facts on the way as well")
    parser.add_argument("--data-dir", type=Path, help="keep the store there, and go on from what it holds already")


def measured(options: Namespace, say: Callable[[str], object]) -> dict[str, Any]:
    """Load, measure and return everything as JSON values. Raises RuntimeError when an answer is not what it should."""
    if options.facts < BLOCK or options.facts % BLOCK:
        raise RuntimeError(f"--facts is a multiple of {BLOCK:,}")
    steps = [step for step in STEPS if options.growth and step < options.facts] + [options.facts]
    with ExitStack() as stack:
        data_dir = options.data_dir or Path(stack.enter_context(_temporary()))
        data_dir.mkdir(parents=True, exist_ok=True)
        service = stack.enter_context(running(data_dir))
        django.setup()
        bench = stack.enter_context(_inside(service))
        return {"steps": [bench.step(count, say) for count in steps if count >= bench.present]}


@contextmanager
def _temporary() -> Iterator[str]:
    folder = tempfile.mkdtemp(prefix="kndl-bench-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _inside(service: Service) -> Iterator["_Bench"]:
    """This process inside the Space of the service, bound as its token is."""
    import psycopg
    from django.conf import settings

    from kndl_site.embedded import superuser_connection
    from seats.authentication import caller_of_token
    from seats.models import SeatToken
    from seats.tokens import hash_of
    from spaces.access import bind, find_space
    from spaces.databases.entering import entered

    caller = caller_of_token(SeatToken.objects.select_related("seat").get(secret_hash=hash_of(service.token)))
    space = find_space(caller, SPACE)
    with (
        entered(space) as here,
        superuser_connection(settings.KNDL.data_dir, here.alias) as bare,
    ):
        bare.row_factory = psycopg.rows.tuple_row
        yield _Bench(service, bind(caller, space, []), here.alias, bare)


@dataclass
class _Bench:
    """A service, the way into its Space from this process, and a bare connection to the same database."""

    service: Service
    binding: "Binding"
    alias: str
    bare: "psycopg.Connection[Any]"
    loaded: dict[str, list[float]] = field(default_factory=dict)

    @property
    def present(self) -> int:
        return int(self.bare.execute("select count(*) from fact").fetchone()[0])  # type: ignore[index]

    def step(self, count: int, say: Callable[[str], object]) -> dict[str, Any]:
        """Bring the store to `count` facts and ask it everything."""
        from bench.reads import reads

        before = self.present
        say(f"{count:,} facts: loading {count - before:,}")
        found: dict[str, Any] = {"facts": count}
        if count > before:
            found["import"] = self._load(before, count)
        say(f"{count:,} facts: vacuum analyze")
        self.bare.execute("vacuum analyze")
        found["reads"] = {}
        for read in reads(count, ROUNDS):
            say(f"{count:,} facts: {read.name}")
            found["reads"][read.name] = self._read(read)
        return found

    def _load(self, first: int, end: int) -> dict[str, Any]:
        from memory.facts.importing import import_facts

        through_rest = min((end - first) // 5, THROUGH_REST)
        split = end - through_rest
        return {
            "function": self._rate(first, split, lambda lines: import_facts(self.binding, lines).document()),
            "rest": self._rate(split, end, lambda lines: self.service.send("facts/import", b"".join(lines))),
            "bare": self._bare_rate(through_rest),
        }

    def _rate(self, first: int, end: int, take: Callable[[list[bytes]], Any]) -> dict[str, Any]:
        """Facts a second, without the time that making them took."""
        from bench.timing import load

        spent = 0.0
        for lines in batches(first, end):
            started = time.perf_counter()
            outcome = take(lines)
            spent += time.perf_counter() - started
            if outcome["imported"] != len(lines):
                raise RuntimeError(f"an import was refused: {outcome['errors'][:1]}")
        return {"facts": end - first, "a_second": round((end - first) / spent), "load": load()}

    def _bare_rate(self, count: int) -> dict[str, Any]:
        """The rival of an import: the last rows copied, 2,000 at a time, into a table with the same indexes."""
        from bench.timing import load

        self.bare.execute("drop table if exists bench_fact")
        self.bare.execute("create table bench_fact (like fact including all)")
        pieces = []
        with self.bare.cursor() as cursor:
            cursor.execute("select max(number) from fact")
            last = int(cursor.fetchone()[0])  # type: ignore[index]
            for start in range(last - count, last, 2_000):
                rows = f"select * from fact where number > {start} and number <= {start + 2_000}"
                with cursor.copy(f"copy ({rows}) to stdout") as copy:
                    pieces.append(b"".join(bytes(block) for block in copy))
            started = time.perf_counter()
            for piece in pieces:
                with cursor.copy("copy bench_fact from stdin") as copy:
                    copy.write(piece)
            spent = time.perf_counter() - started
        self.bare.execute("drop table bench_fact")
        return {"facts": count, "a_second": round(count / spent), "load": load()}

    def _read(self, read: Any) -> dict[str, Any]:
        """A question's times: its statements, the function around them, REST, and the bare rows."""
        from bench.reads import with_scope
        from bench.timing import load, spread, statement_clock, timed

        scope = self.binding.one.pk
        for target in read.targets[:WARM_UP]:
            read.ask(self.binding, target)
            self.service.get(read.route(target)[0], **read.route(target)[1])
            self.bare.execute(read.bare, with_scope(read.values(target), scope)).fetchall()
        times: dict[str, list[float]] = {"database": [], "function": [], "rest": [], "bare": []}
        statements = 0
        # The four in turn on each target, so that whatever else the machine does falls on all of them alike.
        for target in read.targets:
            with statement_clock(self.alias) as clock:
                times["function"].append(timed(lambda t=target: read.ask(self.binding, t)))  # type: ignore[misc]
            times["database"].append(clock.spent)
            statements = max(statements, clock.statements)
            route, params = read.route(target)
            times["rest"].append(timed(lambda r=route, p=params: self.service.get(r, **p)))  # type: ignore[misc]
            values = with_scope(read.values(target), scope)
            times["bare"].append(timed(lambda v=values: self.bare.execute(read.bare, v).fetchall()))  # type: ignore[misc]
        return {name: vars(spread(each)) for name, each in times.items()} | {
            "statements": statements,
            "load": load(),
        }


def typical(times: Sequence[float]) -> float:
    """The median."""
    return statistics.median(times)
