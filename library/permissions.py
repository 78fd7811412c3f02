"""Who may do what with the Library: a seat by the verbs of its token, a person by a role in any Space or here."""

import rules

from spaces.rules import ADMIN, AUDITOR, MEMBER, OWNER, governs_instance, holds_verb_here, in_any_space

rules.add_rule(
    "library:read",
    holds_verb_here("library:read") | in_any_space(OWNER, ADMIN, AUDITOR, MEMBER) | governs_instance,
)
rules.add_rule(
    "library:write", holds_verb_here("library:write") | in_any_space(OWNER, ADMIN, MEMBER) | governs_instance
)
rules.add_rule("library:limits", governs_instance)
