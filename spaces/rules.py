"""Who may do what in a Space. Other rooms build their own rules from these predicates."""

import rules

from accounts.models import User
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


def in_any_space(*roles: str) -> rules.Predicate:
    """A person with one of these roles in some Space; for what the whole instance has."""

    def test(caller: Caller) -> bool:
        return caller.person is not None and Membership.objects.filter(user=caller.person, role__in=roles).exists()

    return rules.Predicate(test, name=f"in_any_space:{','.join(roles)}")


def holds_verb_here(verb: str) -> rules.Predicate:
    """A seat of whatever Space whose token holds `verb`."""

    def test(caller: Caller) -> bool:
        return caller.is_seat and verb in caller.verbs

    return rules.Predicate(test, name=f"holds_verb_here:{verb}")


def _governs_instance(caller: Caller) -> bool:
    return caller.person is not None and caller.person.governs_instance


def _owns_instance(caller: Caller) -> bool:
    return caller.person is not None and caller.person.instance_role == User.InstanceRole.OWNER


governs_instance = rules.Predicate(_governs_instance, name="governs_instance")
"""The instance's owner or one of its admins."""

owns_instance = rules.Predicate(_owns_instance, name="owns_instance")
"""The instance's owner."""


def require_here(rule: str, caller: Caller) -> None:
    """Raise Forbidden unless `caller` may do this in the instance."""
    if not rules.test_rule(rule, caller):
        what = f"This token does not hold the verb {rule}." if caller.is_seat else "Your role does not allow it."
        raise Forbidden(what, missing=rule)


rules.add_rule("space:govern", has_role(OWNER, ADMIN))
rules.add_rule("space:read", has_role(OWNER, ADMIN, AUDITOR, MEMBER))
rules.add_rule("space:read_audit", has_role(OWNER, ADMIN, AUDITOR))
