"""Whether a capitalised word can name a person or a tool."""

import re

from memory.layers.distillers.extractive.lexicon import entries, lower_entries

_NOT_NAMES = entries("not_names")
_TOOLS = lower_entries("tools") | lower_entries("ambiguous_tools")
_OF_A_LAND_OR_FAITH = re.compile(r".{2,20}(?:ese|ish|ican|nian|lian|sian|rian|dian|bian|tian|vian|ist|Christian)$")
# What stands where a name stands ("I'm Sorry", "my wife Google it"), and is none.
_NO_NAMES = frozenset({
    "Google", "Skype", "Uber", "Zoom", "Facebook", "Netflix",
    "Sorry", "Back", "Fine", "Good", "Here", "Happy", "Glad", "Sure", "Okay", "So", "Just", "Not", "Still", "Really",
    "Very", "Also", "Always", "Never", "Ready", "Tired", "Busy", "Great", "Excited", "Curious", "New", "Well",
    "Looking", "Going", "Trying", "Working", "Having", "Feeling", "Currently", "Your", "My", "The", "In", "On", "At",
    "From", "For", "With", "Grateful", "Thankful", "Proud", "Single", "Married", "Vegan", "Vegetarian", "Sick", "Ill",
    "Done", "Late", "Early", "Home", "Afraid", "Interested", "It", "That", "This", "We", "They", "He", "She", "You",
    "Who", "What", "When", "Where", "Why", "How", "If", "But", "And", "Or", "Later", "Maybe", "Crazy", "Old", "Young",
    "Team", "Mister", "Yes", "No", "God",
})  # fmt: skip


def is_name(words: str) -> bool:
    """Whether capitalised words can be a person's name: none of them a month, language, nationality, title or"
    " feeling."""
    return not any(word in _NOT_NAMES or word in _NO_NAMES or _OF_A_LAND_OR_FAITH.match(word) for word in words.split())


def may_be_called(words: str) -> bool:
    """Whether capitalised words can be the name of a thing: none of them a month, a language or the like."""
    return not any(word in _NOT_NAMES for word in words.split())


def is_tool(words: str) -> bool:
    """Whether words name a program, language or service that is widely known."""
    return words.lower() in _TOOLS
