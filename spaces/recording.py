"""What the doors of a Space put on record, whatever stands behind them."""

from contextlib import suppress

from django.db import DatabaseError
from django.http import HttpRequest

from audit.recording import refused
from common.errors import KndlError
from spaces.access import Binding, Caller, Hidden
from spaces.databases.entering import current_alias, entered
from spaces.databases.transactions import memory_transaction
from spaces.models import Space

# Refusals of these kinds are recorded; a request that is merely malformed is not.
_RECORDED = frozenset({403, 405, 409})


def record_refusal(caller: Caller, space: Space | None, request: HttpRequest, error: KndlError) -> None:
    """Record that `caller` was refused, in the Space's database where it can be reached, else in the control one."""
    if error.status not in _RECORDED and not isinstance(error, Hidden):
        return
    match = request.resolver_match
    act = f"{(request.method or '').lower()} {match.view_name if match else ''}".strip()
    named = match.kwargs if match else {}
    target = str(named.get("fact_id") or named.get("consent_id") or named.get("space", ""))
    if space is None:
        refused("default", caller.actor, act, target, status=error.status, code=error.type)
        return
    with suppress(KndlError, DatabaseError), entered(space):
        refused(current_alias(), caller.actor, act, target, status=error.status, code=error.type)


def record_foreign(binding: Binding, request: HttpRequest, *, writes: bool) -> None:
    """Reaching into another person's memory, or across tenants, is on record before it is answered."""
    scopes = binding.scopes if binding.crosses else binding.of_others
    if not scopes:
        return
    act = "scope.cross" if binding.crosses else "memory.write_other" if writes else "memory.read_other"
    match = request.resolver_match
    with memory_transaction() as record:
        for scope in scopes:
            route = match.view_name if match else ""
            record.record(binding.caller.actor, act, f"scope:{scope.name}", scope=scope.pk, route=route)
