"""The tree of a text, built while the parser reduces its rules."""

from typing import Any

from memory.kip.language.building_changes import ChangeBuilder
from memory.kip.language.building_queries import QueryBuilder
from memory.kip.language.tree import Text


class Builder(QueryBuilder, ChangeBuilder):
    """A method for each rule of the grammar: it takes what the rule's parts became."""

    def text(self, *statements: Any) -> Text:
        """Return the whole."""
        return Text(statements)
