"""Lexemes as the parser asks for them: a word is a keyword where one may stand, `:x` a parameter where a value may."""

from collections.abc import Iterable, Mapping
from typing import Any

from memory.kip.language import faults
from memory.kip.language.automaton import Run
from memory.kip.language.piece import Piece
from memory.kip.language.scanning import Kind, Lexeme
from memory.kip.language.values import from_parameter, number_of, string_of
from memory.kip.language.words import BEFORE_BRACKET, CONSTANTS, KEYWORDS, MAY_END, SIGNS

_SPACES = " \t\r\n"


class Feeder:
    """Gives a run the tokens of a text. Raises KIP_1001 where the text holds none of the language."""

    def __init__(self, text: str, parameters: Mapping[str, Any], run: Run) -> None:
        self._text = text
        self._parameters = parameters
        self._run = run
        self._checked: dict[str, Any] = {}
        self._end_of_literal = -1

    def feed(self, lexemes: Iterable[Lexeme]) -> None:
        """Feed all of them; space and comments are passed over."""
        take = self._run.take
        for kind, written, at in lexemes:
            if kind == "space":
                continue
            if kind == "sign":
                terminal = SIGNS[written]
                take(terminal, Piece(terminal, written, written, at))
            elif kind == "word":
                self._word(written, at)
            elif kind == "variable":
                terminal = "PATH" if "." in written else "VAR"
                take(terminal, Piece(terminal, written[1:], written, at))
            elif kind == "parameter":
                self._parameter(written, at)
            elif kind in ("string", "number"):
                self._literal(kind, written, at)
            elif kind == "error":
                raise faults.no_lexeme(written, at)

    def _literal(self, kind: Kind, written: str, at: int) -> None:
        value = string_of(written, at) if kind == "string" else number_of(written, at)
        terminal = kind.upper()
        self._run.take(terminal, Piece(terminal, value, written, at))
        self._end_of_literal = at + len(written)

    def _word(self, written: str, at: int) -> None:
        if at == self._end_of_literal:
            raise faults.joined(written, at)
        terminal = KEYWORDS.get(written)
        if terminal is None or terminal not in self._run.asked_for:
            self._run.take("IDENT", Piece("IDENT", written, written, at))
            return
        self._require_bounded(written, terminal, at + len(written))
        self._run.take(terminal, Piece(terminal, CONSTANTS.get(written, written), written, at))

    def _require_bounded(self, written: str, terminal: str, end: int) -> None:
        following = self._text[end : end + 1]
        if following in _SPACES or terminal in MAY_END or (following == "(" and terminal in BEFORE_BRACKET):
            return
        raise faults.unbounded(written, following, end)

    def _parameter(self, written: str, at: int) -> None:
        name = written[1:]
        if "_COLON" in self._run.asked_for:
            # `{a:true}`: behind a key the colon is the key's, and the rest a word.
            self._run.take("_COLON", Piece("_COLON", ":", ":", at))
            self._word(name, at + 1)
            return
        value = self._value_of(name, at) if "PARAM" in self._run.asked_for else None
        self._run.take("PARAM", Piece("PARAM", value, written, at))

    def _value_of(self, name: str, at: int) -> Any:
        if name not in self._checked:
            if name not in self._parameters:
                raise faults.unsupplied(name, self._parameters, at)
            self._checked[name] = from_parameter(name, self._parameters[name], at)
        return self._checked[name]
