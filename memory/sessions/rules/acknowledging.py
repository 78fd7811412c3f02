"""Exact acknowledgement: which of the lines that were sent are new."""

from collections.abc import Sequence


class Gap(Exception):
    """The lines begin beyond the next index."""


class LineDiffers(Exception):
    """Another line stands at a taken index."""

    def __init__(self, index: int) -> None:
        super().__init__(f"line {index} differs")
        self.index = index


def already_there(from_index: int, sent: Sequence[bytes], next_index: int, kept: Sequence[bytes]) -> int:
    """How many of the lines sent, from the first on, the session holds already.

    `sent` are the digests of lines from `from_index` on; `kept` those of the session's lines from `from_index` on, as
    far as they overlap. Raises Gap when lines are missing in between, LineDiffers for another line at a taken index.
    """
    if from_index > next_index:
        raise Gap
    for place, (one, other) in enumerate(zip(sent, kept, strict=False)):
        if one != other:
            raise LineDiffers(from_index + place)
    return min(len(sent), next_index - from_index)
