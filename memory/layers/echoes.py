"""What was recalled shortly before lines were spoken: when it comes back in them, it is not said anew."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from memory.layers.elements import run_sql
from memory.recall.rules.echo import Echoes
from spaces.databases.entering import current
from spaces.models import Scope

_BEFORE = timedelta(hours=24)
_MOST_RECALLS = 200


def echoes_for(scope: int, sessions: Sequence[UUID]) -> Echoes | None:
    """What seats were shown from a scope while these sessions went on, and in the day before, newest recalls first.

    From the Space's shared scopes too, by whoever opened one of the sessions. None when it was nothing.
    """
    shared = Scope.objects.filter(space=current().space_id, owner=None).values_list("pk", flat=True)
    rows = run_sql(
        "with span as (select min(opened_at) - %(before)s begins, max(coalesce(last_line_at, opened_at)) ends,"
        "  array_agg(opened_by) openers from session where id = any(%(sessions)s)),"
        " shown as (select u.nodes from recall_use u, span where u.scope = any(%(scopes)s)"
        "  and (u.scope = %(scope)s or u.actor = any(span.openers)) and u.at >= span.begins and u.at <= span.ends"
        "  order by u.at desc limit %(most)s)"
        " select distinct n.text from shown, jsonb_array_elements(shown.nodes) e join node n on n.id = e::bigint"
        " where n.scope = any(%(scopes)s) and n.text <> ''",
        {
            "scope": scope,
            "scopes": [scope, *shared],
            "sessions": list(sessions),
            "before": _BEFORE,
            "most": _MOST_RECALLS,
        },
    )
    return Echoes(row[0] for row in rows) if rows else None
