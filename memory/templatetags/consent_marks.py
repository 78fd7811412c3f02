"""How consents are shown on pages."""

from collections.abc import Iterable, Mapping

from django import template
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from memory.phi.consents import ConsentView, State

register = template.Library()

_STATES: dict[State, tuple[str, str]] = {
    "holds": ("tag tag-good", "in force"),
    "not_yet": ("tag", "not yet"),
    "ended": ("tag", "ended"),
    "withdrawn": ("tag tag-caution", "withdrawn"),
}


@register.simple_tag
def consent_state(state: State) -> SafeString:
    """What a consent is worth now, as a word in a frame."""
    return format_html('<span class="{}">{}</span>', *_STATES[state])


@register.simple_tag
def purposes_of(consents: Iterable[ConsentView]) -> str:
    """The purposes of these consents together; words for none."""
    return ", ".join(dict.fromkeys(purpose for consent in consents for purpose in consent.purposes)) or "no purpose"


@register.simple_tag
def scope_name(names: Mapping[int, str], scope: int) -> str:
    """The name of a scope among those the reader is bound to."""
    return names[scope]


@register.simple_tag
def scope_param(name: str) -> str:
    """The scope as the query string of an address names it."""
    return urlencode({"scope": name})
