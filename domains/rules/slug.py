"""A domain's short name: that of its folder and in addresses."""

import re

_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?")
# What stands where a domain's short name would in the addresses of pages.
_TAKEN = frozenset({"new"})


def checked_slug(slug: str) -> str:
    """`slug` if a domain may be called so. Raises ValueError with the end of a sentence."""
    if _SLUG.fullmatch(slug) is None:
        raise ValueError(
            "must be lower-case letters, digits and hyphens, 48 at most, and neither begin nor end with one"
        )
    if slug in _TAKEN:
        raise ValueError("is the name of a page; choose another")
    return slug
