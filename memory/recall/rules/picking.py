"""Which memories a word search weighs: those with a rare lexeme of the question, or with several common ones together.

To weigh each memory that holds some common word would take longer the more memories there are.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import prod

# Lexemes with less weight only mean nearly what was asked: alone they count if they are rare, and never in pairs.
LEAST_WEIGHT = 0.45
MOST_COMMON = 8


def picked(
    weights: Mapping[str, float], holding: Mapping[str, int], memories: int, *, rare: int, together: int
) -> list[tuple[str, ...]]:
    """Return groups of lexemes; a memory that holds all lexemes of some group is weighed.

    `weights` are those of the question's lexemes, `holding` how many of the scope's `memories` hold each. The rarest
    lexemes stand alone while `rare` memories hold them. Of the 8 rarest others those stand together that about
    `together` memories hold, by their frequencies as if words were independent. The first of either may be held by
    four times as many. All of the others stand together where nothing else that was asked stands.
    """
    order = sorted(weights, key=lambda lexeme: (weights[lexeme] < LEAST_WEIGHT, holding.get(lexeme, 0), lexeme))
    alone = list(_alone(order, holding, rare))
    common = [lexeme for lexeme in order if lexeme not in alone and weights[lexeme] >= LEAST_WEIGHT][:MOST_COMMON]
    groups = [*((lexeme,) for lexeme in alone), *_together(common, holding, memories, together)]
    if common and not any(weights[lexeme] >= LEAST_WEIGHT for group in groups for lexeme in group):
        groups.append(tuple(common))
    return groups


def _alone(order: Sequence[str], holding: Mapping[str, int], most: int) -> Iterator[str]:
    so_far = 0
    for place, lexeme in enumerate(order):
        count = holding.get(lexeme, 0)
        if so_far + count <= most or (place == 0 and count <= 4 * most):
            so_far += count
            yield lexeme


def _together(common: Sequence[str], holding: Mapping[str, int], memories: int, most: int) -> list[tuple[str, ...]]:
    """Pairs first, then threes and so on, in each size the rarest first, without those that hold one taken before."""
    taken: list[tuple[str, ...]] = []
    left = float(most)
    for size in range(2, len(common) + 1):
        expected = sorted(
            (prod(holding.get(lexeme, 0) / memories for lexeme in group) * memories, group)
            for group in combinations(common, size)
            if not any(set(smaller) <= set(group) for smaller in taken)
        )
        for count, group in expected:
            if count > (left if taken else 4 * most):
                break
            left -= count
            taken.append(group)
    return taken
