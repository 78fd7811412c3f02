"""Who may do what in a Space. Other rooms build their own rules from these predicates."""

import rules

from common.errors import Forbidden
from spaces.access import Caller
from spaces.models import Membership, Space

OWNER = Membership.Role.OWNER
ADMIN = Membership.Role.ADMIN
AUDITOR = Membership.Role.AUDITOR
MEMBER = Membership.Role.MEMBER


def has_role(*roles: str) -> rules.Predicate:
    """A person with one of these roles in the Space."""

    def test(caller: Caller, space: Space) -> bool:
        return caller.role_in(space) in roles

    return rules.Predicate(test, name=f"has_role:{','.join(roles)}")


def holds_verb(verb: str) -> rules.Predicate:
    """A seat of the Space whose token holds `verb`."""

    def test(caller: Caller, space: Space) -> bool:
        return caller.is_seat and caller.space_id == space.pk and verb in caller.verbs

    return rules.Predicate(test, name=f"holds_verb:{verb}")


def require(rule: str, caller: Caller, space: Space) -> None:
    """Raise Forbidden unless `caller` may do this in `space`."""
    if not rules.test_rule(rule, caller, space):
        what = (
            f"This token does not hold the verb {rule}."
            if caller.is_seat
            else "Your role in this Space does not allow it."
        )
        raise Forbidden(what, missing=rule)


rules.add_rule("space:govern", has_role(OWNER, ADMIN))
rules.add_rule("space:read", has_role(OWNER, ADMIN, AUDITOR, MEMBER))
rules.add_rule("space:read_audit", has_role(OWNER, ADMIN, AUDITOR))
