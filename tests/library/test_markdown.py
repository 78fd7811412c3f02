"""Markdown of other people, as pages show it."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.markdown import as_html

SCRAPS = st.lists(
    st.sampled_from(
        [
            *"#*_`[]()<>!|&;:-=\"' \n",
            "<script>",
            "javascript:",
            "](",
            "![",
            "http://x",
            "data:text/html,",
            "onload=",
            "a",
        ]
    ),
    max_size=60,
).map("".join)
ALLOWED = {"a", "blockquote", "br", "code", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s"}
ALLOWED |= {"strong", "table", "tbody", "td", "th", "thead", "tr", "ul"}


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_headings_go_below_the_page_s_own_and_tables_are_tables():
    html = as_html("# Closing day\n\n|a|b|\n|-|-|\n|1|2|\n\n~~old~~ **new**")
    assert html.startswith("<h2>Closing day</h2>")
    assert "<td>1</td>" in html
    assert "<s>old</s> <strong>new</strong>" in html


def test_html_stands_there_as_text_and_images_as_their_words():
    html = as_html('<img src=x onerror=alert(1)> ![the *plan*](https://example.test/p.png "t") <b>x</b>')
    assert "<img" not in html
    assert "<b>" not in html
    assert "the *plan*" in html


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "/accounts/logout/", "../a.md", "//evil.test", "#x"],
)
def test_links_lead_out_or_nowhere(link: str):
    assert "href" not in as_html(f"[words]({link}) <{link}>")


def test_a_link_that_leads_out_says_nothing_of_where_it_was():
    assert '<a href="https://example.test/a" rel="noopener noreferrer nofollow">' in as_html(
        "[x](https://example.test/a)"
    )


@given(SCRAPS)
def test_whatever_is_written_only_harmless_tags_come_out(text: str):
    for tag, attributes in Tags(as_html(text)).seen:
        assert tag in ALLOWED
        assert set(attributes) <= {"href", "rel", "start", "title"}
        assert re.match(r"(https?://|mailto:)", attributes.get("href") or "mailto:", re.IGNORECASE)
