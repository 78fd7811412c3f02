"""How memories and the lines they rest on are linked and written on pages."""

from django import template
from django.urls import reverse
from django.utils.http import urlencode

from memory.layers.pages.memory_addresses import session_address
from memory.layers.showing_words import kind_of, lines_words, link_words, more_of, sent_words, step_words, title_of
from memory.sessions.models import Session

register = template.Library()
register.filter(title_of)
register.filter(more_of)
register.filter(kind_of)
register.filter(step_words)
register.filter(sent_words)
register.simple_tag(lines_words)
register.simple_tag(link_words)
register.simple_tag(session_address, name="session_url")


@register.simple_tag
def memory_url(space: str, scope: str, memory: int) -> str:
    """The page of a memory."""
    return f"{reverse('one_memory_page', args=[space, memory])}?{urlencode({'scope': scope})}"


@register.simple_tag
def days(tau: float) -> str:
    """τ as it is written: "τ 14 days"; "never fades" where there is none."""
    if tau == float("inf"):
        return "never fades"
    return f"τ {tau:.4g} days"


@register.simple_tag
def lines_left(session: Session) -> str:
    """How many lines of a session wait to be distilled."""
    return f"{session.line_count - session.distilled_until:,}"
