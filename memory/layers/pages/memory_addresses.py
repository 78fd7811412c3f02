"""Addresses of the pages of memories and sessions."""

from urllib.parse import urlencode

from django.urls import reverse

from spaces.pages import Here

LINES_A_PAGE = 100


def page_of_memory(here: Here, scope: str, memory: int) -> str:
    """The page of one memory."""
    return f"{reverse('one_memory_page', args=[here.space.slug, memory])}?{urlencode({'scope': scope})}"


def session_address(space: str, scope: str, session: str, line: int | None = None) -> str:
    """The page of a session; with `line`, the part of it that holds this line, at the line."""
    query: dict[str, str | int] = {"scope": scope}
    if line is None:
        return f"{reverse('session_page', args=[space, session])}?{urlencode(query)}"
    if first := line // LINES_A_PAGE * LINES_A_PAGE:
        query["from_index"] = first
    return f"{reverse('session_page', args=[space, session])}?{urlencode(query)}#L{line}"
