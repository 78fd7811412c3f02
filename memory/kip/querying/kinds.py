"""What a variable stands for in a solution."""

from enum import Enum


class Kind(Enum):
    """A node, a link, either of the two, or the name of a predicate."""

    CONCEPT = "concept"
    LINK = "link"
    ELEMENT = "element"
    PREDICATE = "predicate"

    @property
    def sql_type(self) -> str:
        """The type of a column of this kind."""
        return "text" if self is Kind.PREDICATE else "bigint"


def common_kind(one: Kind, other: Kind) -> Kind | None:
    """What a variable stands for that is of either kind; None where no column can hold both."""
    if one is other:
        return one
    return None if Kind.PREDICATE in (one, other) else Kind.ELEMENT
