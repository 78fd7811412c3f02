"""Who may do what with memory: a seat by the verbs of its token, a person by their role in the Space."""

import rules

from spaces.rules import ADMIN, AUDITOR, MEMBER, OWNER, has_role, holds_verb

_READERS = has_role(OWNER, ADMIN, AUDITOR, MEMBER)
_WRITERS = has_role(OWNER, ADMIN, MEMBER)
_GOVERNORS = has_role(OWNER, ADMIN)

rules.add_rule("facts:read", holds_verb("facts:read") | _READERS)
rules.add_rule("facts:write", holds_verb("facts:write") | _WRITERS)
rules.add_rule("facts:import", holds_verb("facts:import") | _WRITERS)
rules.add_rule("predicates:declare", holds_verb("memory:govern") | _WRITERS)
rules.add_rule("memory:read", holds_verb("memory:read") | _READERS)
rules.add_rule("memory:write", holds_verb("memory:write") | _WRITERS)
rules.add_rule("memory:govern", holds_verb("memory:govern") | _WRITERS)
rules.add_rule("layers:govern", holds_verb("memory:govern") | _GOVERNORS)
rules.add_rule("consents:read", has_role(OWNER, ADMIN, AUDITOR))
rules.add_rule("consents:write", holds_verb("consents:write") | _GOVERNORS)
rules.add_rule("phi:break_glass", _GOVERNORS)
rules.add_rule("facts:hold", _GOVERNORS)
rules.add_rule("sessions:read", holds_verb("memory:read") | _READERS)
rules.add_rule("sessions:write", holds_verb("sessions:write") | _WRITERS)
