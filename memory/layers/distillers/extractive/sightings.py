"""Capitalised names as they stand in a text, each with what stands around it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.layers.distillers.extractive.lexicon import lower_entries

_UPPER = "".join(chr(code) for code in range(0xC0, 0x530) if chr(code).isupper())
_CAPITALISED = rf"[A-Z{_UPPER}](?:[\w'’+#-]|[.&](?=[\w])){{0,40}}"
_JOINING = r"(?:of(?: the)?|de(?: la)?|del|da|do|dos|di|du|van(?: der)?|von|y|&)"
_INITIALS = r"[A-Z]\.(?: ?[A-Z]\.){0,2}"
_PART = rf"(?:{_INITIALS}|{_CAPITALISED})"
_SEQUENCE = re.compile(rf"(?<![\w@#/.\\-]){_PART}(?: (?:{_JOINING} )?{_PART}){{0,5}}")
_NOT_PROSE = re.compile(
    r"`[^`\n]{1,400}`|\bhttps?://\S{1,2000}|\bwww\.\S{1,500}|\S{1,200}@\S{1,200}|\[[^\[\]\n]{1,300}\]\([^()\n]{1,500}\)"
)
_HEADING = re.compile(r"^[ \t]{0,3}(?:#{1,6} .{0,300}|\*\*.{0,200}\*\*:?[ \t]{0,8}|\|.{0,2000}\|)$", re.MULTILINE)
_TAIL = re.compile(r"(?:['’](?:s|ll|d|ve|re|m)|['’])$")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…\n\"“”(\[*•–—|>~-])[\s\"“”'‘(*_]{0,8}$")
_BEFORE = 40
_AFTER = 30
_LONGEST_NAME = 5
_SHORTEST_NAME = 2
_JOINERS = frozenset({"of", "the", "de", "la", "del", "da", "do", "dos", "di", "du", "van", "der", "von", "y", "&"})
_RELATIONS = lower_entries("relations")
_NO_NAMES = (lower_entries("not_names") | lower_entries("stop_words") | lower_entries("courtesies")) - _JOINERS


@dataclass(slots=True)
class Sighting:
    """A name where it stands. `inside` says that its capital is not owed to the start of a sentence."""

    name: str
    inside: bool
    before: str
    after: str


def prose_of(text: str) -> str:
    """Return a text without its headings, tables, inline code, links and addresses, which hold no names of the talk."""
    if "#" in text or "**" in text or "|" in text:
        text = _HEADING.sub(" ", text)
    if "`" in text or "://" in text or "www." in text or "@" in text or "](" in text:
        text = _NOT_PROSE.sub(" … ", text)
    return text


def sightings(prose: str) -> Iterator[Sighting]:
    """Yield the capitalised names of a text in order, without leading function words, months and exclamations.

    `before` and `after` are up to 40 and 30 characters of the text around, in small letters; the latter with its "'s".
    """
    for found in _SEQUENCE.finditer(prose):
        if found[0].lower() in _NO_NAMES:
            continue
        starts = _SENTENCE_START.search(prose, max(0, found.start() - 12), found.start()) is not None
        yield from _split(prose, found.start(), found[0], starts=starts)


def _split(prose: str, at: int, sequence: str, *, starts: bool) -> Iterator[Sighting]:
    """Cut a sequence at words that belong to no name, and at its possessives."""
    run: list[str] = []
    begin = at
    inside = not starts
    place = at
    for word in sequence.split(" "):
        word = word.rstrip("-&")
        tail = _TAIL.search(word) if "'" in word or "’" in word else None
        bare = word[: tail.start()] if tail else word
        if _is_no_name(word, bare) or (not run and bare.lower() in _RELATIONS):
            yield from _sighted(prose, begin, run, inside=inside)
            run, inside = [], True
        else:
            if not run:
                begin = place
            run.append(bare)
            if tail:
                yield from _sighted(prose, begin, run, inside=inside)
                run, inside = [], True
        place += len(word) + 1
    yield from _sighted(prose, begin, run, inside=inside)


def _is_no_name(word: str, bare: str) -> bool:
    return len(bare) < _SHORTEST_NAME or bare.lower() in _NO_NAMES or word.lower().replace("’", "'") in _NO_NAMES


def _sighted(prose: str, begin: int, run: list[str], *, inside: bool) -> Iterator[Sighting]:
    while run and run[0].lower() in _JOINERS:
        begin += len(run[0]) + 1
        run = run[1:]
        inside = True
    while run and run[-1].lower() in _JOINERS:
        run = run[:-1]
    if not run or len(run) > _LONGEST_NAME:
        return
    name = " ".join(run)
    end = begin + len(name)
    yield Sighting(
        name=name,
        inside=inside or (name[1].islower() and any(char.isupper() for char in name[2:])),
        before=prose[max(0, begin - _BEFORE) : begin].lower().replace("’", "'"),
        after=prose[end : end + _AFTER].lower().replace("’", "'"),
    )
