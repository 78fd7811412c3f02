"""Who comes to the pages of domains from a Space; what they may do with one is said in `domains.rights`."""

import rules

from spaces.access import Caller
from spaces.models import Space
from spaces.rules import ADMIN, AUDITOR, MEMBER, OWNER, has_role, owns_instance

_present = has_role(OWNER, ADMIN, AUDITOR, MEMBER)


def _governs(caller: Caller, _space: Space) -> bool:
    return bool(owns_instance.test(caller))


rules.add_rule("domain_pages:look", _present)
rules.add_rule("domain_pages:govern", _present & rules.Predicate(_governs, name="governs_domains_from_here"))
