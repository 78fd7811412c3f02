"""Who may do what with the Library from a Space's pages."""

import rules

from accounts.models import User
from spaces.access import Caller
from spaces.models import Space
from spaces.rules import ADMIN, AUDITOR, MEMBER, OWNER, has_role


def _owns_instance(caller: Caller, _space: Space) -> bool:
    return caller.person is not None and caller.person.instance_role == User.InstanceRole.OWNER


_readers = has_role(OWNER, ADMIN, AUDITOR, MEMBER)

rules.add_rule("library_pages:read", _readers)
rules.add_rule("library_pages:write", has_role(OWNER, ADMIN, MEMBER))
rules.add_rule("library_pages:limit", _readers & rules.Predicate(_owns_instance, name="owns_instance_from_here"))
