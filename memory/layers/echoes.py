"""What was recalled shortly before lines were spoken: when it comes back in them, it is not said anew."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from memory.layers.elements import run_sql
from memory.recall.rules.echo import Echoes

_BEFORE = timedelta(hours=24)
_MOST_RECALLS = 200


def echoes_for(scope: int, sessions: Sequence[UUID]) -> Echoes:
    """What seats were shown from a scope while these sessions went on, and in the day before, newest recalls first."""
    rows = run_sql(
        "with span as (select min(opened_at) - %(before)s begins, max(coalesce(last_line_at, opened_at)) ends"
        "  from session where id = any(%(sessions)s)),"
        " shown as (select u.nodes from recall_use u, span where u.scope = %(scope)s and u.at >= span.begins"
        "  and u.at <= span.ends order by u.at desc limit %(most)s)"
        " select distinct n.text from shown, jsonb_array_elements(shown.nodes) e join node n on n.id = e::bigint"
        " where n.scope = %(scope)s and n.text <> ''",
        {"scope": scope, "sessions": list(sessions), "before": _BEFORE, "most": _MOST_RECALLS},
    )
    return Echoes(row[0] for row in rows)
