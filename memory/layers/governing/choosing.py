"""Which memories came from a session, a source or a person."""

from typing import Annotated
from uuid import UUID

from pydantic import Field, field_validator

from common.errors import Invalid, NotFound
from common.strict import StrictModel, VisibleText
from memory.layers.rules.strength import EVENT, FRAGMENT
from memory.layers.statements import fetched, released_node_sql
from memory.layers.tombstones import Buried
from memory.phi.gate import gate_values
from memory.sessions.models import Session
from spaces.access import Binding

Memories = Annotated[list[Annotated[int, Field(ge=1, lt=2**63)]], Field(min_length=1, max_length=1_000)]


class ForgetInput(StrictModel):
    """What to forget: memories by id, or all that came from one session, source or person.

    `session` is an id. `source` is what opened sessions: an origin such as `api`, or an actor such as `seat:<id>`.
    `person` is a speaker, or the name of a Person. `preview` tells what would go and changes nothing.
    """

    ids: Memories | None = None
    session: Annotated[str, VisibleText(1, 64)] | None = None
    source: Annotated[str, VisibleText(1, 200)] | None = None
    person: Annotated[str, VisibleText(1, 200)] | None = None
    reason: Annotated[str, VisibleText(1, 2_000)] | None = None
    preview: bool = False

    @field_validator("session")
    @classmethod
    def _session_is_an_id(cls, value: str | None) -> str | None:
        try:
            return value if value is None else str(UUID(value))
        except ValueError:
            raise ValueError("must be the id of a session") from None


def chosen_ids(binding: Binding, given: ForgetInput) -> list[int]:
    """The memories that are meant, as far as the reader may know of them.

    Raises Invalid unless exactly one choice is given, and NotFound for a session that is not there.
    """
    choices = [name for name in ("ids", "session", "source", "person") if getattr(given, name) is not None]
    if len(choices) != 1:
        raise Invalid("Say one of ids, session, source and person.", field=choices[1] if choices else "ids")
    if given.ids is not None:
        return given.ids
    if given.person is not None:
        return _ids(binding, _OF_PERSON, {"person": given.person})
    return _ids(binding, _OF_SESSIONS, {"sessions": [session.pk for session in _sessions(binding, given)]})


def whole_sessions(binding: Binding, given: ForgetInput) -> list[Buried]:
    """Signs that keep everything from coming back that a session says up to now, distilled or not yet."""
    if given.session is None and given.source is None:
        return []
    return [
        Buried(0, layer, "", lines=((session.pk, 0, session.line_count - 1),))
        for session in _sessions(binding, given)
        for layer in (FRAGMENT, EVENT)
        if session.line_count
    ]


def also_elsewhere(binding: Binding, given: ForgetInput) -> list[tuple[int, UUID]]:
    """Memories that these sessions say and others as well, with the session: they stay, and lose those lines."""
    if given.session is None and given.source is None:
        return []
    rows = fetched(
        "select distinct r.node, r.session from node_source r where r.session = any(%(sessions)s)"
        " and exists (select 1 from node_source o where o.node = r.node and o.session <> all(%(sessions)s))"
        " order by r.node",
        {"sessions": [session.pk for session in _sessions(binding, given)]},
    )
    return [(row["node"], row["session"]) for row in rows]


def _sessions(binding: Binding, given: ForgetInput) -> list[Session]:
    found = Session.objects.filter(scope=binding.one.pk).exclude(classification="PHI")
    if given.session is not None:
        one = list(found.filter(pk=given.session))
        if not one:
            raise NotFound("There is no such session.")
        return one
    return list(found.filter(origin=given.source) | found.filter(opened_by=given.source))


_OF_SESSIONS = (
    "exists (select 1 from node_source r where r.node = n.id and r.session = any(%(sessions)s))"
    # What other sessions say as well has another source, and stays.
    " and not exists (select 1 from node_source r where r.node = n.id and r.session <> all(%(sessions)s))"
)
_IS_PERSON = (
    "({table}.layer = 3 and {table}.type = 'Person' and (lower({table}.name) = lower(%(person)s)"
    " or exists (select 1 from jsonb_array_elements_text(case jsonb_typeof({table}.attributes->'aliases')"
    "   when 'array' then {table}.attributes->'aliases' else '[]' end) a where lower(a) = lower(%(person)s))))"
)
# Fragments that the person spoke or that speak of them, and the concept; events go when nothing is left under them.
_OF_PERSON = (
    "(n.layer = 1 and (exists (select 1 from node_source r join session_line l on l.session = r.session"
    "  and l.index between r.first and r.last where r.node = n.id and lower(l.speaker) = lower(%(person)s))"
    " or exists (select 1 from link k join node p on p.id = k.object where k.subject = n.id"
    f"  and k.predicate = 'mentions' and {_IS_PERSON.format(table='p')})) or {_IS_PERSON.format(table='n')})"
)


def _ids(binding: Binding, where: str, values: dict[str, object]) -> list[int]:
    rows = fetched(
        f"select n.id from node n where n.scope = %(scope)s and n.layer between 1 and 3 and {where}"
        f" and {released_node_sql()} order by n.id",
        gate_values(binding) | {"scope": binding.one.pk} | values,
    )
    return [row["id"] for row in rows]
