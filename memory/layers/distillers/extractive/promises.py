"""Preferences and commitments as concepts, one for each fact that states one."""

from collections.abc import Sequence

from common.times import format_instant
from memory.layers.distillers.extractive.drafts import Drafts
from memory.layers.distillers.extractive.facts.choices import GRACE
from memory.layers.rules.proposals import FactProposal

_LONGEST_NAME = 200
_VERBS = {
    ("prefers", False): "prefers",
    ("likes", False): "likes",
    ("likes", True): "dislikes",
    ("dislikes", False): "dislikes",
}


def add_preferences(drafts: Drafts, facts: Sequence[FactProposal]) -> None:
    """Add what somebody prefers, likes or dislikes; to deny a liking is to dislike, other denials are no preference."""
    for fact in facts:
        verb = _VERBS.get((fact.predicate, fact.negated))
        if verb is not None and isinstance(fact.object, str):
            name = f"{fact.subject} {verb} {fact.object}"
            if len(name) <= _LONGEST_NAME:
                drafts.add("Preference", name, [fact.fragment], description=fact.statement, holder=fact.subject)


def add_commitments(drafts: Drafts, facts: Sequence[FactProposal]) -> None:
    """Add what somebody has said they will do; `due_at` is the end of the time they gave."""
    for fact in facts:
        if fact.predicate != "will" or fact.negated or not isinstance(fact.object, str):
            continue
        due = {} if fact.valid_until is None else {"due_at": format_instant(fact.valid_until - GRACE)}
        drafts.add(
            "Commitment",
            f"{fact.subject}: {fact.object}"[:_LONGEST_NAME],
            [fact.fragment],
            commitment_class="promise",
            description=fact.statement,
            holder=fact.subject,
            status="pending",
            **due,
        )
