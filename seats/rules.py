"""Who may look at the seats of a Space; who governs it makes and revokes them."""

import rules

from spaces.rules import ADMIN, AUDITOR, OWNER, has_role

rules.add_rule("seats:look", has_role(OWNER, ADMIN, AUDITOR))
