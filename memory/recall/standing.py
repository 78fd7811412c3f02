"""What narrows an answer to an earlier time, as SQL: `as_of`, by when it was formed; `before`, by when it was said."""


def formed_by_sql(table: str = "n") -> str:
    """The condition that a row of `node` was formed by `as_of`."""
    return f"{table}.formed_at <= %(as_of)s::timestamptz"


def spoken_before_sql(table: str = "n") -> str:
    """The condition that what a row of `node` holds was spoken before `before`.

    A concept is nobody's saying: it stands when something that mentions it was said before. What has no time was not.
    """
    return (
        f"({table}.said_at < %(before)s::timestamptz or {table}.layer = 3 and exists (select 1 from link sl"
        f" join node sn on sn.id = sl.subject where sl.object = {table}.id and sl.predicate = 'mentions'"
        " and sn.said_at < %(before)s::timestamptz))"
    )


def not_archived_sql(table: str, *, then: bool) -> str:
    """The condition that a row of `node_strength` is not archived; `then`: that it was not at the instant `at`."""
    later = f" or {table}.archived_at > %(at)s::timestamptz" if then else ""
    return f"({table}.archived_at is null{later})"


def strength_then_sql(node: str) -> str:
    """A lateral subquery `r`: what the strength of a node was set to last by `at`; `node` is the SQL of an id."""
    return (
        "lateral (select score, tau, pinned, at scored_at from reinforcement"
        f" where node = {node} and at <= %(at)s::timestamptz order by at desc, id desc limit 1) r"
    )
