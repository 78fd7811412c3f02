import time
from django.db import connections
from spaces.access import Binding
from spaces.databases.entering import entered, current_alias
from spaces.models import Scope
from seats.models import Seat
from memory.facts.provenance import provenance, derived
from memory.facts import walking
from tests.facts.test_provenance import diamonds
from tests.rest.client import seat, stored
from bench.timing import statement_clock, spread
from bench import sample
import json

def test_measure(north):
    rest = seat(north)
    def load(facts):
        facts=list(facts)
        for i in range(0,len(facts),2000):
            rest.imported(*facts[i:i+2000])
    load(diamonds(24))
    load(diamonds(50,"big"))
    load([stored("trunk")]+[stored(f"leaf-{n}", derivedFrom=["fact:trunk"]) for n in range(10000)])
    names=[f"fact:n{n}" for n in range(500)]
    load([stored(f"n{n}", derivedFrom=names) for n in range(500)])
    load([stored(f"w{n}", derivedFrom=[f"fact:w{n}-{m}" for m in range(1000)]) for n in range(60)])
    load([stored("wroot", derivedFrom=[f"fact:w{n}" for n in range(60)])])
    load([stored("t0")]+[stored(f"t{n}", derivedFrom=["fact:t0"]) for n in range(1,300)]+[stored(f"t{n}-{m}", derivedFrom=[f"fact:t{n}"]) for n in range(1,300) for m in range(30)])
    from django.test import RequestFactory
    from spaces.access import Caller
    from audit.recording import Actor
    caller = Caller(Actor("seat","x"), "x", space_id=north.pk)
    binding = Binding(north, caller, (Scope.objects.get(space=north),))
    with entered(north):
        with connections[current_alias()].cursor() as c:
            c.execute("analyze")
        for name, act in [
            ("50 nodes", lambda: provenance(binding,"fact:d-root",max_depth=64)),
            ("102 nodes", lambda: provenance(binding,"fact:big-root",max_depth=64)),
            ("50 down", lambda: derived(binding,"fact:d-leaf",max_depth=64)),
            ("10000 children", lambda: derived(binding,"fact:trunk")),
            ("complete 500", lambda: provenance(binding,"fact:n0",max_depth=64)),
            ("complete 500 down", lambda: derived(binding,"fact:n0",max_depth=64)),
            ("60x1000 parents", lambda: provenance(binding,"fact:wroot",max_depth=64)),
            ("300x30 down", lambda: derived(binding,"fact:t0",max_depth=64)),
        ]:
            act()
            db, whole = [], []
            for _ in range(15):
                with statement_clock(current_alias()) as clock:
                    t=time.perf_counter(); act(); whole.append((time.perf_counter()-t)*1000)
                db.append(clock.spent)
            print(name, "db", spread(db), "whole", spread(whole), clock.statements)
        sql = walking._WALK.format(step=walking._UP.format(gate=walking.released_sql()), most_named=5000)
        from memory.facts.gate import gate_values
        from memory.facts.statements import fetch
        from common.times import now
        for row in []:
            print(row["QUERY PLAN"])
