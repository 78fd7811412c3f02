"""Markdown that somebody else wrote, as HTML that does nothing."""

import re
from functools import cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# What a text can be made to cost grows with its square: a second at this length.
MOST_CHARACTERS = 40_000

_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s"),
    *("strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_HEADINGS = 6
_LEADS_OUT = re.compile(r"(https?://|mailto:)", re.IGNORECASE)


def as_html(text: str) -> SafeString:
    """The first 40,000 characters of a text in Markdown, as HTML.

    HTML in it stands there as text; an image is its description, so that nothing is fetched by looking at a page. Links
    lead to web and mail addresses only. Headings go one level down, below the page's own.
    """
    html = _markdown().render(text[:MOST_CHARACTERS])
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href"}, "ol": {"start"}},
        attribute_filter=_kept,
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(clean)  # noqa: S308 - it is clean


def _kept(_tag: str, attribute: str, value: str) -> str | None:
    """An address that stays one: an absolute one; any other would lead to a page of ours."""
    return None if attribute == "href" and not _LEADS_OUT.match(value) else value


@cache
def _markdown() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
    made.core.ruler.push("kndl", _humbled)
    return made


def _humbled(state: object) -> None:
    """Lower the headings, and put the words of images in their place."""
    for token in state.tokens:  # type: ignore[attr-defined]
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) + 1, _HEADINGS)}"
        for child in token.children or ():
            if child.type == "image":
                child.type, child.tag, child.children = "text", "", None
