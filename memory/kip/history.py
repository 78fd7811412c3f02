"""The history of elements: a row for each version that KIP made, and one for what it found before its first change."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from memory.kip.elements import Act, Concept, Element, Standing
from memory.kip.models import ElementHistory
from memory.layers.elements import run_sql

_COLUMNS = ("element", "kind", "version", "actor", "act", "names", "attributes", "metadata")
_ADD = (
    "insert into element_history (element, scope, kind, version, at, actor, act, names, attributes, metadata)"
    " select element, %(scope)s, kind, version, %(at)s, actor, act, names::jsonb, attributes::jsonb, metadata::jsonb"
    " from unnest(%(element)s::bigint[], %(kind)s::text[], %(version)s::int[], %(actor)s::text[], %(act)s::text[],"
    " %(names)s::text[], %(attributes)s::text[], %(metadata)s::text[])"
    " with ordinality q(element, kind, version, actor, act, names, attributes, metadata, turn) order by turn"
)


def keep(scope: int, elements: Iterable[Element], at: datetime, actor: str) -> None:
    """Add rows for changed elements, inside the caller's transaction."""
    changed = list(elements)
    known = _known([element.id for element in changed if not element.is_new])
    rows = [
        _row(element, standing, actor)
        for element in changed
        for standing in (None if element.id in known else element.found, *element.earlier, element.standing())
        if standing is not None
    ]
    columns = [list(column) for column in zip(*rows, strict=True)]
    if rows:
        run_sql(_ADD, {"scope": scope, "at": at} | dict(zip(_COLUMNS, columns, strict=True)))


def history_of(scope: int, element: int) -> list[ElementHistory]:
    """What is kept of an element, oldest first; what was deleted is kept as well."""
    return list(ElementHistory.objects.filter(scope=scope, element=element).order_by("pk"))


def forget(elements: Sequence[int]) -> None:
    """Remove the history of elements whose content is forgotten, inside the caller's transaction."""
    run_sql("delete from element_history where element = any(%(ids)s)", {"ids": list(elements)})


def _known(ids: Sequence[int]) -> set[int]:
    if not ids:
        return set()
    rows = run_sql("select distinct element from element_history where element = any(%(ids)s)", {"ids": list(ids)})
    return {element for (element,) in rows}


def _row(element: Element, standing: Standing, actor: str) -> tuple[object, ...]:
    is_before = standing.act == Act.FOUND
    return (
        element.id,
        "C" if isinstance(element, Concept) else "P",
        standing.version,
        "" if is_before else actor,
        str(standing.act),
        *(json.dumps(part, ensure_ascii=False) for part in (standing.names, standing.attributes, standing.metadata)),
    )
