"""BM25 as the word search computes it; its SQL and these functions must agree."""

import math

K1 = 1.2
B = 0.75


def idf(memories: int, holding: int) -> float:
    """Inverse document frequency of a lexeme that `holding` of a scope's `memories` have; above 0 for any counts."""
    return math.log(1 + (memories - holding + 0.5) / (holding + 0.5))


def saturation(frequency: float, length: float, average: float) -> float:
    """What a weighted term frequency counts for in a text of weighted `length`, from 0 to below 1 + K1.

    `average` is the mean weighted length of the scope's memories; 0 or less stands for a scope without any.
    """
    relative = length / average if average > 0 else 1.0
    return frequency * (1 + K1) / (frequency + K1 * (1 - B + B * relative))


def score(
    query: dict[str, float],
    frequencies: dict[str, float],
    length: float,
    average: float,
    idfs: dict[str, float],
) -> float:
    """BM25 of one memory: Σ weight in the query × idf × saturation, over the lexemes that both have."""
    return sum(
        weight * idfs.get(lexeme, 0.0) * saturation(frequencies[lexeme], length, average)
        for lexeme, weight in query.items()
        if lexeme in frequencies
    )
