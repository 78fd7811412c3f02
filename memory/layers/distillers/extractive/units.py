"""From a line to the texts that may become fragments: without code, without private thought, not too long."""

import re

from memory.layers.distillers.extractive.tool_output import error_lines
from memory.layers.distillers.extractive.words import sentences
from memory.layers.rules.proposals import Line

LONGEST_FRAGMENT = 1_000
LONG_PROSE = 600

_FENCE = re.compile(r"[ \t>]{0,12}(`{3,20}|~{3,20})")
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>")
_ATTACHED = re.compile(r"(?<![\w\])])\[(?!secret: )[^\[\]\n]{3,500}\](?!\()")
_BLANK_LINES = re.compile(r"\n[ \t]{0,40}\n\s{1,400}")


def is_long_prose(line: Line) -> bool:
    """Tell long text that no user wrote: mostly an assistant's exposition, from which nothing is concluded."""
    return line.role != "user" and len(line.text) > LONG_PROSE


def texts_of(line: Line) -> list[str]:
    """Return what the line says in its own words, as texts of at most 1,000 characters; none for mere code."""
    if line.role == "tool":
        errors = error_lines(line.text)
        return [errors] if errors else []
    said = _BLANK_LINES.sub("\n\n", _without_code(_without_thought(line.text))).strip()
    if len(said) <= LONGEST_FRAGMENT:
        return [said] if said else []
    return _packed(said)


def without_attachments(text: str) -> str:
    """Return a text without remarks in brackets on what was shown with it, such as `[shares a photo: …]`."""
    return _ATTACHED.sub("", text).strip() if "[" in text else text


def _without_thought(text: str) -> str:
    if "<" not in text:
        return text
    kept = []
    start = 0
    while opening := _THOUGHT.search(text, start):
        kept.append(text[start : opening.start()])
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            return "".join(kept)
        start = end + len(closing)
    return "".join([*kept, text[start:]])


def _without_code(text: str) -> str:
    """Leave out fenced blocks; one that is never closed reaches to the end, as Markdown has it."""
    if "```" not in text and "~~~" not in text:
        return text
    kept = []
    fence = ""
    for row in text.split("\n"):
        mark = _FENCE.match(row)
        if fence:
            if mark and mark[1].startswith(fence) and not row[mark.end() :].strip():
                fence = ""
        elif mark and mark[1][0] not in row[mark.end() :]:
            fence = mark[1]
        else:
            kept.append(row)
    return "\n".join(kept)


def _packed(text: str) -> list[str]:
    """Fill fragments with whole sentences; a sentence that is too long alone is cut at a space, or where it must be."""
    packed: list[str] = []
    room = 0
    for sentence in sentences(text):
        for part in _fitting(sentence):
            if packed and len(part) < room:
                packed[-1] += " " + part
                room -= len(part) + 1
            else:
                packed.append(part)
                room = LONGEST_FRAGMENT - len(part)
    return packed


def _fitting(sentence: str) -> list[str]:
    parts = []
    start = 0
    while len(sentence) - start > LONGEST_FRAGMENT:
        space = sentence.rfind(" ", start + LONGEST_FRAGMENT // 2, start + LONGEST_FRAGMENT)
        end = space if space > 0 else start + LONGEST_FRAGMENT
        parts.append(sentence[start:end].strip())
        start = end
    parts.append(sentence[start:].strip())
    return [part for part in parts if part]
