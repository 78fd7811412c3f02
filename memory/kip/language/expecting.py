"""What the parser expected where it met something else, in words."""

import difflib
from collections.abc import Iterable

from memory.kip.language.automaton import END, Unexpected
from memory.kip.language.errors import KipError
from memory.kip.language.faults import syntax
from memory.kip.language.words import KEYWORDS, SIGNS

_IN_WORDS = {
    "STRING": 'a string "…"',
    "NUMBER": "a number",
    "PARAM": "a parameter :name",
    "VAR": "a variable ?name",
    "PATH": "a path ?name.field",
    "IDENT": "a key",
    END: "the end of the text",
}
_STATEMENTS = ("FIND", "UPSERT", "UPDATE", "MERGE", "DELETE", "DESCRIBE", "SEARCH", "EXPORT")
_MOST_NAMED = 8


def unexpected(error: Unexpected, text: str) -> KipError:
    """Return the syntax error for a token that the grammar does not allow where it stands."""
    expected = _named(error.accepted)
    if error.terminal == END:
        return syntax(f"The text ends where it should go on. Expected: {_listed(expected)}.", None, len(text.rstrip()))
    written = error.piece.written
    message = f"`{written[:60]}` has no place here. Expected: {_listed(expected)}."
    return syntax(message, _hint(written, error.terminal, expected, error.accepted), error.piece.at)


def _named(terminals: Iterable[str]) -> list[str]:
    wanted = set(terminals)
    words = [word for word, terminal in KEYWORDS.items() if terminal in wanted]
    signs = [sign for sign, terminal in SIGNS.items() if terminal in wanted]
    return words + [said for terminal, said in _IN_WORDS.items() if terminal in wanted] + signs


def _listed(expected: list[str]) -> str:
    if len(expected) > _MOST_NAMED:
        return ", ".join(expected[:_MOST_NAMED]) + " …"
    return " or ".join(part for part in (", ".join(expected[:-1]), expected[-1]) if part)


def _hint(written: str, terminal: str, expected: list[str], accepted: set[str]) -> str:
    if terminal in ("IDENT", *KEYWORDS.values()):
        return _hint_for_word(written, expected, accepted)
    if written == "," and "_RBRACE" in accepted:
        return "Clauses, blocks and the pairs of a pattern end without a comma."
    if terminal == "PARAM":
        return "A parameter stands for a value; names of variables, keys and keywords are written out."
    return f"Put {_listed(expected)} here."


def _hint_for_word(written: str, expected: list[str], accepted: set[str]) -> str:
    if END in accepted and written in _STATEMENTS:
        return "A text is one statement, or UPSERTs one after the other; send others as further commands."
    words = [word for word in expected if word in KEYWORDS]
    near = difflib.get_close_matches(written.upper(), words, 1, 0.6)
    if near:
        return f"Did you mean {near[0]}? Keywords are written in upper case."
    if "STRING" in accepted and "CONSTANT" in accepted:
        return f'Put a string in double quotes, "{written}", or send a parameter: `: :{written}`.'
    if expected == ["the end of the text"]:
        return f"Nothing may follow here; leave {written} out, or move it before what precedes it."
    return f"Put {_listed(expected)} here."
