"""Changing and revealing KEYS. No value is in an error, an audit row or a log."""

from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound
from domains import rows
from domains.models import Domain, DomainKey, GitState
from domains.places import KEYS
from domains.rights import Standing, held_live
from domains.rules import keys as rules


def put_key(act: Act, standing: Standing, name: str, value: str) -> None:
    """Set one key, a new one behind the others, in the transaction `act`.

    Raises Forbidden, Invalid naming `name` or `value`, and Conflict of type `keys_in_git` while git has the file.
    """
    standing.require_keeping()
    domain = held_live(standing.domain)
    _refuse_in_git(domain)
    row = rules.Row(_checked(name), _checked_value(value))
    before = rows.key_rows(domain)
    given = [row if old.name == name else old for old in before]
    _store(act, standing, domain, given if row in given else [*given, row], "domain.key_put", name)


def delete_key(act: Act, standing: Standing, name: str) -> None:
    """Take one key away, in the transaction `act`. Raises Forbidden and NotFound."""
    standing.require_keeping()
    domain = held_live(standing.domain)
    before = rows.key_rows(domain)
    given = [row for row in before if row.name != name]
    if given == before or not rules.is_name(name):
        raise NotFound("There is no such key.")
    _store(act, standing, domain, given, "domain.key_delete", name)


def reveal_key(act: Act, standing: Standing, name: str) -> str:
    """The value of one key; that it was read is on record, in the transaction `act`. Raises Forbidden and NotFound."""
    standing.require_revealing()
    domain = standing.domain
    row = find_key(domain, name)
    act.record(standing.caller.actor, "domain.key_reveal", f"domain:{domain.slug}", key=row.name)
    return rows.opened_key(domain, row)


def find_key(domain: Domain, name: str) -> DomainKey:
    """One key by its name. Raises NotFound."""
    row = DomainKey.objects.filter(domain=domain, name=name).first() if rules.is_name(name) else None
    if row is None:
        raise NotFound("There is no such key.")
    return row


def _store(act: Act, standing: Standing, domain: Domain, given: list[rules.Row], did: str, name: str) -> None:
    if len(rules.written(given).encode()) > rules.LARGEST:
        raise Invalid(f"would make {KEYS} larger than {rules.LARGEST:,} bytes", field="value")
    changed = rows.store_keys(domain, given)
    act.record(standing.caller.actor, did, f"domain:{domain.slug}", key=name, changed=bool(changed))


def _checked(name: str) -> str:
    try:
        return rules.checked_name(name)
    except rules.BadKey as error:
        raise Invalid(str(error), field="name") from None


def _checked_value(value: str) -> str:
    try:
        return rules.checked_value(value)
    except rules.BadKey as error:
        raise Invalid(str(error), field="value") from None


def _refuse_in_git(domain: Domain) -> None:
    if GitState.objects.filter(domain=domain, state=GitState.State.TRACKED).exists():
        raise Conflict(f"{KEYS} is tracked or staged in git. Take it out there first.", type="keys_in_git")
