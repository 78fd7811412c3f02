import time
from datetime import timedelta
from common.times import now, format_instant
from memory.facts.counting import open_contradictions, soon_fading
from memory.facts.fading import fading_facts, FadingQuery
from memory.facts.contradictions import find_contradictions, ContradictionQuery
from spaces.databases.entering import entered
from tests.facts.test_contradictions import _bound, about
from tests.facts.test_fading import fading

def timed(name, f, n=3):
    best = min(_t(f) for _ in range(n)); print(f"{name}: {best*1000:.1f} ms")
def _t(f):
    b=time.perf_counter(); f(); return time.perf_counter()-b

def test_scale(trio, rest, teammate):
    since = format_instant(now())
    for part in range(10):
        rest.imported(*(about(f"{p}-{n}-{v}", v if p < 5 else 1, subject=f"s{p}-{n:05}", decay="0.5/30d", validFrom=since, recordedAt=since, negated=False) for p in [part] for n in range(2000) for v in range(3)))
    with entered(trio.space):
        b=_bound(trio.space)
        timed("count open", lambda: open_contradictions(b)); timed("soon fading", lambda: soon_fading(b))
        timed("fading page", lambda: fading_facts(b, FadingQuery(limit=60)))
        timed("contradictions 25", lambda: find_contradictions(b, ContradictionQuery(limit=25)))
    rest.post("predicates", {"predicate": "state", "multi_valued": True})
    with entered(trio.space):
        timed("count open, all settled", lambda: open_contradictions(b))
        timed("contradictions 25, all settled", lambda: find_contradictions(b, ContradictionQuery(limit=25)))
    rest.post("predicates", {"predicate": "state", "multi_valued": False})
    timed("inbox page", lambda: teammate.get("/spaces/north/contradictions", {"scope": "shared"}))
    timed("fading page http", lambda: teammate.get("/spaces/north/fading", {"scope": "shared"}))
    print(len(teammate.get("/spaces/north/contradictions", {"scope": "shared"}).content), len(teammate.get("/spaces/north/fading", {"scope": "shared"}).content))
    timed("home", lambda: teammate.get("/spaces/north/"))
