"""The receipt of what was forgotten, read from the audit: numbers and ids, no content."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from audit.models import AuditRow
from common.errors import NotFound
from spaces.access import Binding
from spaces.databases.entering import current_alias


@dataclass(frozen=True)
class Receipt:
    """That memories were forgotten: when, by whom, and what went with them."""

    number: str
    at: datetime
    actor: str
    stated: dict[str, Any]


def find_receipt(binding: Binding, number: str) -> Receipt:
    """A receipt of the bound scopes. Raises NotFound."""
    rows = AuditRow.objects.using(current_alias())
    row = rows.filter(act="memory.forget", object=f"receipt:{number}", scope__in=binding.scope_ids).first()
    if row is None:
        raise NotFound("There is no such receipt.")
    return Receipt(number, row.at, f"{row.actor_kind}:{row.actor_id}", row.stated)
