"""What a person reads off a page: its words, its links, its table."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

_SILENT = {"script", "style", "title", "svg"}
_VOID = {"input", "link", "meta", "br", "hr", "img", "path", "circle", "line", "rect"}


@dataclass
class Page:
    """An answer, taken apart. `text` holds its words with single spaces between them."""

    status: int
    html: str
    text: str = ""
    links: dict[str, str] = field(default_factory=dict)
    rows: list[list[str]] = field(default_factory=list)
    fields: dict[str, str] = field(default_factory=dict)
    tags: set[str] = field(default_factory=set)

    @property
    def words(self) -> str:
        """The text up to the line at the foot that says when it was read."""
        return self.text.partition(" Read ")[0]


def page_of(response: Any) -> Page:
    """Read an answer of the test client; a link is found by its words, the last one where several share them."""
    html = response.content.decode()
    reader = _Reader()
    reader.feed(html)
    page = Page(response.status_code, html, " ".join("".join(reader.words).split()))
    page.links = {" ".join("".join(words).split()): href for href, words in reader.links}
    page.rows = [[" ".join("".join(cell).split()) for cell in row] for row in reader.rows if row]
    page.fields, page.tags = reader.fields, reader.tags
    return page


def statements(page: Page) -> list[str]:
    """The first cell of each row of the table, without its tags."""
    return [re.sub(r" (superseded|known false)", "", row[0]) for row in page.rows[1:]]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: list[tuple[str, list[str]]] = []
        self.rows: list[list[list[str]]] = []
        self.fields: dict[str, str] = {}
        self.tags: set[str] = set()
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.add(tag)
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "a":
            self.links.append((given.get("href", ""), []))
        elif tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"} and self.rows:
            self.rows[-1].append([])
        elif tag == "input":
            self.fields[given.get("name", "")] = given.get("value", "")
        elif "a" in self._open:
            self.links[-1][1].append(" ")
        self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        while tag in self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if _SILENT & set(self._open):
            return
        self.words.append(data)
        if "a" in self._open:
            self.links[-1][1].append(data)
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1].append(data)
