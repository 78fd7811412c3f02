"""The names of proposals within a batch; the same lines give the same names."""

from memory.layers.rules.proposals import Line


def fragment_key(line: Line, chunk: int) -> str:
    """Name the fragment made of a line's text number `chunk`."""
    return f"f{line.session}.{line.index}.{chunk}"


def agreement_key(line: Line) -> str:
    """Name the decision made of a proposal and the line that answers it."""
    return f"a{line.session}.{line.index}"


def episode_key(line: Line) -> str:
    """Name the episode that begins with a line."""
    return f"e{line.session}.{line.index}"


def decision_key(line: Line) -> str:
    """Name the event of a decision made in a line."""
    return f"d{line.session}.{line.index}"


def concept_key(type_name: str, name: str) -> str:
    """Name a concept; one type and name, however they are capitalised, is one concept."""
    return f"c{type_name}:{name.lower()}"
