"""The scopes of a request as a condition."""

from spaces.access import Binding


def scope_sql(binding: Binding, table: str = "f") -> str:
    """The condition that a row of `table` is in the bound scopes; takes their ids as `scopes`.

    An index gives the rows of one scope in its order, those of several not.
    """
    if len(binding.scope_ids) == 1:
        return f"{table}.scope = (%(scopes)s::int[])[1]"
    return f"{table}.scope = any(%(scopes)s)"
