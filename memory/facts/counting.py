"""What waits for somebody, counted for the navigation: one bounded query each, on every page.

PHI is left out whatever the reader's purpose: a count reads nobody's PHI, so nothing of it is on record as read.
"""

from datetime import timedelta

from common.times import now
from memory.facts.fading import HORIZON, about_to_leave
from memory.facts.statements import fetch
from spaces.access import Binding

MOST = 50
# The rules are asked of so many groups that may hold a contradiction; where all are settled, no more are looked at.
_MOST_GROUPS = 500

# What `memory.facts.rules.disagreement` says of claims that are all valid at one instant. A claim is involved when
# another object is asserted beside its own, or its own is asserted and denied; a group counts unless a dismissal covers
# those.
_OPEN = f"""
select count(*) n from (
 select 1 from (
  select g.scope, g.claim, coalesce(p.multi_valued, false) several from fact_group g
  left join predicate p on p.name = g.predicate
  where g.scope = any(%(scopes)s) and g.open and not g.sealed
  order by g.scope, g.sealed, g.subject, g.predicate, g.claim limit {_MOST_GROUPS}
 ) g
 cross join lateral (
  select array_agg(v.id) filter (where v.in_two or (v.asserts and v.first <> v.last and not g.several)) involved from (
   select f.id, not f.negated asserts,
    bool_or(f.negated) over same and bool_or(not f.negated) over same in_two,
    min(f.place) filter (where not f.negated) over () first, max(f.place) filter (where not f.negated) over () last
   from (
    select f.id, f.negated, dense_rank() over (order by f.object::jsonb) place from fact f
    where f.scope = g.scope and f.claim = g.claim and f.sealed is null and f.recorded_at <= %(at)s
     and f.valid_from <= %(at)s and (f.valid_until is null or f.valid_until > %(at)s)
     and not exists (select 1 from fact s
      where s.scope = f.scope and s.supersedes = f.id and s.recorded_at <= %(at)s)
   ) f window same as (partition by f.place)
  ) v
 ) c
 where c.involved is not null and not exists (
  select 1 from (
   select d.facts from contradiction_decision d
   where d.scope = g.scope and d.claim = g.claim and d.kind = 'dismissed' order by d.number desc limit 1
  ) d where c.involved <@ d.facts)
 limit %(most)s
) z
"""


def open_contradictions(binding: Binding) -> tuple[int, bool]:
    """How many contradictions wait to be settled, 50 at most, and whether there are more."""
    return _bounded(_OPEN, {"scopes": binding.scope_ids, "at": now(), "most": MOST + 1})


def soon_fading(binding: Binding, within: timedelta = HORIZON) -> tuple[int, bool]:
    """How many facts leave their band within that time, 50 at most, and whether there are more."""
    at = now()
    values = {"scopes": binding.scope_ids, "begin": at, "end": at + within, "most": MOST + 1}
    sql = " union all ".join(
        f"(select 1 from fact f where {about_to_leave(column, len(binding.scopes))} and f.sealed is null"
        f" order by f.{column} limit %(most)s)"
        for column in ("leaves_usable_at", "leaves_uncertain_at")
    )
    return _bounded(f"select count(*) n from ({sql} limit %(most)s) z", values)


def _bounded(sql: str, values: dict[str, object]) -> tuple[int, bool]:
    number = int(fetch(sql, values)[0]["n"])
    return min(number, MOST), number > MOST
