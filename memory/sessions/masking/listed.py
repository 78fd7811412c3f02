"""Lists of words as a reader sees them: one text."""


def listed(words: str, apart: str | None = None) -> tuple[str, ...]:
    """Return the words of a text, which stand apart by white space if nothing else is given."""
    return tuple(words.split(apart))
