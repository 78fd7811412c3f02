"""What undoing a run would take back, counted before it is done."""

from dataclasses import dataclass

from memory.layers.models import Distillation
from memory.layers.statements import fetched
from memory.layers.withdrawing import STAYS


@dataclass(frozen=True)
class UndoReach:
    """How many memories go, and how many of the run stay, since later lines say or mention them; how many lose what it
    reinforced; facts that are withdrawn; and proposals that wait and are refused."""

    memories: int
    staying: int
    reinforced: int
    facts: int
    proposals: int


def undo_reach(run: Distillation) -> UndoReach:
    """What `memory.layers.undoing.undo_run` would do now."""
    row = fetched(_REACH, {"scope": run.scope, "run": run.pk})[0]
    return UndoReach(row["going"], row["formed"] - row["going"], row["reinforced"], row["facts"], row["proposals"])


_REACH = f"""
with told as (
 select n.id from node n where n.scope = %(scope)s and n.run = %(run)s and n.layer <> 3
  and not exists (select 1 from node_source s where s.node = n.id and s.run is distinct from %(run)s)
), concepts as (
 select n.id from node n where n.scope = %(scope)s and n.run = %(run)s and n.layer = 3
  and not exists (select 1 from link l where l.object = n.id and l.predicate = 'mentions'
   and l.subject not in (select id from told) and (l.run is distinct from %(run)s
    or exists (select 1 from node m where m.id = l.subject and m.run = %(run)s)))
)
select (select count(*) from node where scope = %(scope)s and run = %(run)s) formed,
 (select count(*) from told) + (select count(*) from concepts) going,
 (select count(distinct node) from reinforcement
   where scope = %(scope)s and run = %(run)s and kind = 'duplicate') reinforced,
 (select count(*) from (select distinct fact from node_fact where scope = %(scope)s and run = %(run)s) n
   join fact f on f.scope = %(scope)s and f.id = n.fact
   where not exists (select 1 from fact w where w.scope = f.scope and w.supersedes = f.id)
   and not exists (select 1 from node_fact k where k.scope = f.scope and k.fact = f.id
    and (k.run is distinct from %(run)s or {STAYS}))) facts,
 (select count(*) from proposal where run = %(run)s and state = 'waiting') proposals
"""
