"""The LALR automaton that Lark makes of the grammar, run by a loop of our own.

Lark's loop looks names and rules up by objects with comparisons written in Python, which takes most of the time of a
parse; here names are strings, and a rule's size and callback stand in the table.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark
from lark.parsers.lalr_analysis import Shift

from memory.kip.language.building import Builder

# How many parts a rule takes, its name, and what makes one of them; None where the only part stays what it is.
Reduction = tuple[int, str, Callable[[list[Any]], Any] | None]
END = "$END"


class Unexpected(Exception):
    """A token that the grammar does not allow where it stands; `accepted` are the terminals that it allows."""

    def __init__(self, terminal: str, piece: Any, accepted: set[str]) -> None:
        super().__init__(terminal)
        self.terminal = terminal
        self.piece = piece
        self.accepted = accepted


class Automaton:
    """The table: in each state, the next state for a terminal or a rule's name, or the rule to reduce."""

    def __init__(self, states: Mapping[int, Mapping[str, int | Reduction]], first: int) -> None:
        self.states = states
        self.first = first


class Run:
    """One parse: a stack of states, and what has been built of the text so far."""

    def __init__(self, automaton: Automaton) -> None:
        self._states = automaton.states
        self._stack = [automaton.first]
        self._values: list[Any] = []

    @property
    def asked_for(self) -> Mapping[str, Any]:
        """The terminals that may come next, as far as the state alone can tell."""
        return self._states[self._stack[-1]]

    def take(self, terminal: str, piece: Any) -> None:
        """Go on with a token. Raises Unexpected, and what the builder raises."""
        states, stack, values = self._states, self._stack, self._values
        while True:
            action = states[stack[-1]].get(terminal)
            if isinstance(action, int):
                stack.append(action)
                values.append(piece)
                return
            if action is None:
                raise Unexpected(terminal, piece, self._accepted())
            size, name, build = action
            # No rule of the grammar is empty: a size of 0 would take everything.
            if build is None:
                stack.pop()
            else:
                parts = values[-size:]
                del stack[-size:], values[-size:]
                values.append(build(parts))
            stack.append(states[stack[-1]][name])  # type: ignore[arg-type]  # a rule's name leads to a state

    def result(self) -> Any:
        """Return what the whole text became. Raises Unexpected when it is not whole."""
        self.take(END, None)
        return self._values[-2]

    def _accepted(self) -> set[str]:
        return {terminal for terminal in self.asked_for if terminal.isupper() and self._accepts(terminal)}

    def _accepts(self, terminal: str) -> bool:
        stack = list(self._stack)
        while not isinstance(action := self._states[stack[-1]].get(terminal), int):
            if action is None:
                return False
            size, name, _ = action
            del stack[-size:]
            stack.append(self._states[stack[-1]][name])  # type: ignore[arg-type]  # a rule's name leads to a state
        return True


@cache
def automaton() -> Automaton:
    """Return the automaton of the language."""
    grammar = Path(__file__).with_name("grammar.lark").read_text()
    lark = Lark(grammar, start="text", parser="lalr", lexer="basic", transformer=_Callbacks(Builder()))
    table, callbacks = lark.parser.parser._parse_table, lark.parser.parser.parser.callbacks

    def action(kind: Any, argument: Any) -> int | Reduction:
        if kind is Shift:
            return int(argument)
        is_passed_on = argument.options.expand1 and len(argument.expansion) == 1
        build = None if is_passed_on else callbacks[argument]
        return len(argument.expansion), str(argument.origin.name), build

    states = {
        state: {str(name): action(*what) for name, what in actions.items()} for state, actions in table.states.items()
    }
    last = table.end_states["text"]
    states[last] = {END: last}  # Lark's loop stops there; ours takes the end as one more token
    return Automaton(states, table.start_states["text"])


class _Callbacks:
    """The builder's methods as Lark calls them: with a list."""

    def __init__(self, builder: Builder) -> None:
        for name in dir(builder):
            if not name.startswith("_"):
                setattr(self, name, _with_list(getattr(builder, name)))


def _with_list(method: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    return lambda parts: method(*parts)
