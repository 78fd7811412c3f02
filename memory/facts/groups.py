"""Claim groups: which subjects and predicates have ever had two claims, kept by a trigger and provable by `rebuild`."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connections

from spaces.databases.entering import current_alias

# What a group row is, from its facts. `touched` names the (scope, claim) pairs to look at.
_GROUPS = """
select f.scope, f.claim, bool_and(f.sealed is not null),
  coalesce(min(f.subject) filter (where f.sealed is null), min(f.subject)),
  coalesce(min(f.predicate) filter (where f.sealed is null), min(f.predicate)),
  count(distinct (f.object::jsonb, f.negated)) filter (
    where not exists (select 1 from fact s where s.scope = f.scope and s.supersedes = f.id
      and s.recorded_at <= now())) > 1
from ({touched}) touched join fact f using (scope, claim)
group by f.scope, f.claim
having count(*) > 1 and count(distinct (f.object::jsonb, f.negated)) > 1
"""

# A group that is open stays open under one more claim, so that a subject with many readings is not counted each time.
_KEEP = f"""
insert into fact_group (scope, claim, sealed, subject, predicate, open)
{
    _GROUPS.format(
        touched='''
  select distinct scope, claim from added n where claim is not null and not exists (
    select 1 from fact_group g where g.scope = n.scope and g.claim = n.claim
     and g.open and (not g.sealed or n.sealed is not null))
  union
  select o.scope, o.claim from added n join fact o on o.scope = n.scope and o.id = n.supersedes
   where n.supersedes is not null and o.claim is not null'''
    )
}
on conflict (scope, claim) do update
  set sealed = excluded.sealed, subject = excluded.subject, predicate = excluded.predicate, open = excluded.open
  where (fact_group.sealed, fact_group.subject, fact_group.predicate, fact_group.open)
    is distinct from (excluded.sealed, excluded.subject, excluded.predicate, excluded.open)
"""

# Two writers of one claim see nothing of each other's facts before they commit, and neither would find that there are
# two: so the claims of a statement are locked first, in one order, each standing for all of the same remainder.
_LOCK_CLASS = 0x6B6E64
_LOCK = (
    f"pg_advisory_xact_lock({_LOCK_CLASS}, z.part) from (select distinct uuid_hash(c.claim) & 255 part"
    " from ({claims}) c(claim) order by 1) z"
)
_LOCK_ADDED = _LOCK.format(
    claims="""
  select claim from added where claim is not null
  union
  select o.claim from added n join fact o on o.scope = n.scope and o.id = n.supersedes
   where n.supersedes is not null and o.claim is not null"""
)

# Planned anew each time: a session would keep the plan that it made while the table was small, without the right index.
TRIGGER = f"""
create or replace function kndl_keep_groups() returns trigger language plpgsql as $$
begin
  execute $query$select {_LOCK_ADDED}$query$;
  execute $query${_KEEP}$query$;
  return null;
end $$;
create trigger keep_groups after insert on fact referencing new table as added
  for each statement execute function kndl_keep_groups();
"""


def lock_claims(claims: Iterable[UUID]) -> None:
    """Wait until nobody else writes facts of these claims or settles them, and keep others out until the commit."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("select " + _LOCK.format(claims="select unnest(%s::uuid[])"), [list(claims)])


_COLUMNS = "scope, claim, sealed, subject, predicate, open"


def rebuild() -> int:
    """Make the group rows of the Space again from its facts; returns how many were not as they should be."""
    groups = _GROUPS.format(touched="select distinct scope, claim from fact where claim is not null")
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(f"create temporary table wanted ({_COLUMNS}) on commit drop as {groups}")
        cursor.execute(
            f"select count(*) from ((table wanted except select {_COLUMNS} from fact_group)"
            f" union all (select {_COLUMNS} from fact_group except table wanted)) wrong"
        )
        wrong = int(cursor.fetchone()[0])
        if wrong:
            cursor.execute("delete from fact_group")
            cursor.execute(f"insert into fact_group ({_COLUMNS}) table wanted")
    return wrong
