"""What is wrong with the letters of a text, in words, and what to write instead."""

from collections.abc import Mapping
from typing import Any

from memory.kip.language.errors import KipError

_INSTEAD = {
    "'": ("Strings stand in double quotes.", "Write \"…\" instead of '…'."),
    "`": ("Strings stand in double quotes.", 'Write "…" instead of `…`.'),
    ";": ("No `;` ends a statement.", "Leave it out; only UPSERTs may stand one after the other in a text."),
    ".": ("A `.` stands only inside a path.", "Write ?x.attributes.name, without white space around the dots."),
    "?": ("A variable is `?` and a name.", "Write ?x, without white space after the `?`."),
    "=": ("A single `=` means nothing.", "Compare with ==, set with `key: value`."),
    "&": ("A single `&` means nothing.", "Join conditions with &&."),
    "#": ("Comments start with `//`.", "Write // to the end of the line."),
    "/": ("Comments start with `//`.", "Write // to the end of the line."),
    "/*": ("Comments start with `//`.", "Write // to the end of the line; there is no /* … */."),
    "$": ("Parameters start with `:`.", 'Write :name; a name such as "$self" is a string.'),
    "@": ("Parameters start with `:`.", "Write :name."),
}


def syntax(message: str, hint: str | None, at: int) -> KipError:
    """Return a syntax error."""
    return KipError("KIP_1001", message, hint=hint, at=at)


def no_lexeme(written: str, at: int) -> KipError:
    """Say why these characters begin nothing that the language knows."""
    if written in _INSTEAD:
        return syntax(*_INSTEAD[written], at)
    if written.startswith('"'):
        return _string(written, at)
    if len(written) > 1 or written in "+-0123456789":
        return syntax(f"`{written[:40]}` is no number.", "Numbers are JSON: 12, -0.5, 1e3; no leading + or 0.", at)
    return syntax(f"{_named(written)} has no place here.", "Outside of strings a text is plain ASCII.", at)


def _string(written: str, at: int) -> KipError:
    if len(written) < 2 or not written.endswith('"'):
        return syntax("The string does not end on its line.", 'Close it with "; a line break in it is \\n.', at)
    return syntax(
        "The string is no JSON string.", 'Escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX; a tab in it is \\t.', at
    )


def _named(character: str) -> str:
    return f"`{character}`" if character.isprintable() else f"The character U+{ord(character):04X}"


def joined(word: str, at: int) -> KipError:
    """Say that a word stands against the string or number before it."""
    return syntax(f"`{word}` stands directly behind a value.", f"Put white space before {word}.", at)


def unbounded(word: str, following: str, at: int) -> KipError:
    """Say that a keyword stands against what follows it."""
    return syntax(f"{word} is followed directly by `{following}`.", f"Put white space after {word}.", at)


def unsupplied(name: str, supplied: Mapping[str, Any], at: int) -> KipError:
    """Say that a placeholder has no value."""
    known = ", ".join(f":{one}" for one in sorted(supplied)) or "none"
    return syntax(f"The parameter :{name} was not supplied.", f'Send "{name}" in `parameters`; supplied: {known}.', at)


def in_string(name: str, at: int) -> KipError:
    """Say that a placeholder stands in a string, where it would stay as it is."""
    return syntax(
        f"The parameter :{name} stands inside a string, where nothing is replaced.",
        f"Make the whole value a parameter: write :{name} without quotes, and build its text before sending.",
        at,
    )
