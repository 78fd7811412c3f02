"""How facts are linked and written on pages."""

import json
from datetime import datetime
from typing import Any

from django import template
from django.urls import reverse
from django.utils.http import urlencode

from common.times import format_instant
from memory.facts.rules.decay import decay_words
from memory.facts.rules.record import ABSENT, FactRecord

register = template.Library()
register.filter(decay_words)

# More of an object than this is not shown in a table; the fact's own page shows it whole.
SHORT_OBJECT = 160


@register.simple_tag
def fact_url(
    space: str, scope: str, fact_id: str, as_of: datetime | None = None, valid_at: datetime | None = None
) -> str:
    """The page of a fact, at the instants that are given."""
    query = {"scope": scope}
    query |= {name: format_instant(at) for name, at in (("as_of", as_of), ("valid_at", valid_at)) if at is not None}
    return f"{reverse('fact_page', args=[space, fact_id])}?{urlencode(query)}"


@register.filter
def object_text(record: FactRecord) -> str:
    """The object as it is read: text as it stands, any other value as JSON, nothing where none was given."""
    value: Any = record.object
    if value is ABSENT:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@register.filter
def short_object(record: FactRecord) -> str:
    """The begin of the object, for a table."""
    text = object_text(record)
    return text if len(text) <= SHORT_OBJECT else text[: SHORT_OBJECT - 1] + "…"


@register.filter
def is_plain(record: FactRecord) -> bool:
    """Whether the object is text, which is set as something said."""
    return isinstance(record.object, str)
