"""The other names of a concept. Whoever writes by KIP may have put anything in their place."""

from collections.abc import Mapping
from typing import Any


def aliases_of(attributes: Mapping[str, Any]) -> list[str]:
    """The texts among a concept's aliases; none where they are no list."""
    told = attributes.get("aliases")
    return [alias for alias in told if isinstance(alias, str)] if isinstance(told, list) else []
