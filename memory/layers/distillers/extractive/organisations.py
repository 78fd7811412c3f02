"""What is an organisation: by the head of its name, or because somebody works there."""

import re

from memory.layers.distillers.extractive.candidates import Candidate
from memory.layers.distillers.extractive.lexicon import lower_entries

_HEADS = lower_entries("organisation_heads")
_FIRST_HEADS = frozenset(
    {"university", "bank", "church", "museum", "ministry", "institute", "universität", "universidad", "université"}
)
_EMPLOYS = re.compile(
    r"""
    \b(?:
      work(?:s|ed|ing)?\ (?:at|for) | jobs?\ (?:at|with) | intern(?:ed|ing|ship)?\ (?:at|with) | (?:hired|employed)\ by
    | fired\ (?:by|from) | interview(?:ed|ing|s)?\ (?:at|with) | offer\ from | signed\ with | graduated\ from
    | (?:engineer|developer|designer|manager|analyst|nurse|teacher)\ at | stud(?:ie[sd]|y|ying)\ at
    | enrolled\ (?:at|in) | customers?\ of | (?:founder|ceo|cto)\ of | acquired\ by
    )\ (?:the\ )?$
    """,
    re.VERBOSE,
)


def is_organisation_by_name(candidate: Candidate) -> bool:
    """Tell a name of two words or more that ends, or may begin, as organisations' names do."""
    words = candidate.words
    return len(words) > 1 and (words[-1] in _HEADS or words[0] in _FIRST_HEADS or " ".join(words[-2:]) in _HEADS)


def employs(candidate: Candidate) -> bool:
    """Tell whether somebody works, studies or seeks work there."""
    return any(_EMPLOYS.search(sighting.before) for sighting in candidate.evidence)
