"""How strictly a Space takes `instance_schema`, and the list of what was stored although it breaks one."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import uuid4

from audit.recording import Act
from common.errors import Invalid
from memory.kip.language.errors import KipError
from memory.kip.models import KipSettings, SchemaViolation
from memory.kip.rules.instance_schema import Violation
from memory.layers.elements import copy_rows, run_sql
from spaces.access import Caller

Enforcement = KipSettings.Enforcement


def enforcement() -> str:
    """`off`, `warn` or `strict`, as the Space one is in says; `warn` when it never said."""
    rows = run_sql("select schema_enforcement from kip_settings", {})
    return str(rows[0][0]) if rows else Enforcement.WARN.value


def set_enforcement(act: Act, caller: Caller, mode: str) -> None:
    """Say how strictly schemas are taken, in the transaction `act`. Raises Invalid for another word."""
    if mode not in Enforcement.values:
        raise Invalid("must be off, warn or strict", field="schema_enforcement")
    KipSettings.objects.update_or_create(single=True, defaults={"schema_enforcement": mode})
    act.record(caller.actor, "kip.settings", schema_enforcement=mode)


def refuse(type: str, name: str, found: Violation) -> KipError:
    """The error with which a strict graph answers."""
    return KipError(
        found.code,
        f'{{type: "{type}", name: "{name}"}}: {found.message}.',
        hint=f'DESCRIBE CONCEPT TYPE "{type}" tells what its instances hold.',
    )


def keep_violations(scope: int, found: Mapping[int, Sequence[Violation]], at: datetime) -> None:
    """Keep what is wrong with these nodes, instead of what was wrong with them before."""
    run_sql("delete from schema_violation where node = any(%(nodes)s)", {"nodes": list(found)})
    rows = [
        (uuid4(), node, scope, wrong.attribute, wrong.code, wrong.message, at)
        for node, all_wrong in found.items()
        for wrong in all_wrong
    ]
    if rows:
        copy_rows("schema_violation", ["id", "node", "scope", "attribute", "code", "message", "at"], rows)


def violations_of(scope: int, *, limit: int = 200) -> list[SchemaViolation]:
    """What is stored in a scope although it breaks its type's schema, oldest node first."""
    return list(SchemaViolation.objects.filter(scope=scope).order_by("node", "attribute")[:limit])
