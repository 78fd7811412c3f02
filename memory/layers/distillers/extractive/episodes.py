"""Where one episode of a conversation ends and the next begins: at pauses, and where the talk turns to other things."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

PAUSE = timedelta(minutes=30)
SHORTEST = 4
LONGEST = 24
_WINDOW = 3
_DEPTH = 0.5


def stretches(sessions: Sequence[int], times: Sequence[datetime]) -> list[range]:
    """Return the positions of lines cut where the session changes or more than 30 minutes pass between two."""
    cuts = [
        place
        for place in range(1, len(sessions))
        if sessions[place] != sessions[place - 1] or times[place] - times[place - 1] > PAUSE
    ]
    return _ranges(len(sessions), cuts)


def episodes(within: Sequence[range], vectors: NDArray[np.float32]) -> list[range]:
    """Return stretches cut further by topic: into 4 to 24 lines, a stretch of fewer staying whole.

    At each gap the mean of up to 3 vectors before is compared with that of up to 3 after, by cosine. A cut is a local
    minimum below the mean of all gaps less half their deviation; 24 lines without one are cut at their lowest gap.
    """
    cosines = [_gap_cosines(vectors[stretch.start : stretch.stop]) for stretch in within]
    every = np.concatenate(cosines) if cosines else np.zeros(0)
    threshold = float(every.mean() - _DEPTH * every.std()) if every.size else 0.0
    found = []
    for stretch, gaps in zip(within, cosines, strict=True):
        cuts = _cuts(gaps, threshold)
        found += [range(stretch.start + part.start, stretch.start + part.stop) for part in _ranges(len(stretch), cuts)]
    return found


def _ranges(length: int, cuts: Sequence[int]) -> list[range]:
    edges = [0, *cuts, length]
    return [range(start, end) for start, end in pairwise(edges) if start < end]


def _gap_cosines(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the cosine at each gap of a stretch; entry i stands for the gap before line i + 1."""
    count = len(vectors)
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0, dtype=np.float64)])
    gaps = np.arange(1, count)
    before = sums[gaps] - sums[np.maximum(gaps - _WINDOW, 0)]
    after = sums[np.minimum(gaps + _WINDOW, count)] - sums[gaps]
    lengths = np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)
    cosines: NDArray[np.float64] = np.einsum("ij,ij->i", before, after) / np.maximum(lengths, 1e-12)
    return cosines


def _cuts(gaps: NDArray[np.float64], threshold: float) -> list[int]:
    """Return the positions of a stretch before which it is cut."""
    count = len(gaps) + 1
    cuts = []
    start = 0
    for place in range(1, count):
        if place - start < SHORTEST or count - place < SHORTEST:
            continue
        if _is_valley(gaps, place - 1, threshold):
            cuts.append(place)
            start = place
        elif place - start == LONGEST or (place == count - SHORTEST and count - start > LONGEST):
            lowest = start + SHORTEST + int(np.argmin(gaps[start + SHORTEST - 1 : place]))
            cuts.append(lowest)
            start = lowest
    return cuts


def _is_valley(gaps: NDArray[np.float64], gap: int, threshold: float) -> bool:
    around = gaps[max(gap - 1, 0) : gap + 2]
    return bool(gaps[gap] < threshold and gaps[gap] <= around.min())
