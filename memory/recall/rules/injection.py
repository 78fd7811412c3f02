"""Telling recalled text that reads like an instruction to a model from what people tell each other."""

import re
import unicodedata

from memory.recall.rules.injection_patterns import PATTERNS

# In characters; beyond it a text is looked at in pieces that overlap.
_PIECE = 4_000
_OVERLAP = 400

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_HIDDEN = re.compile(
    # Tag characters spell text that nobody sees; behind a black flag they are an emoji.
    "(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]"
    # Characters that turn the order of writing round, and long runs of those without width.
    "|[\u202d\u202e]|[\u200b-\u200d\u2060-\u2064\ufeff]{8}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}"
)


def reads_like_an_instruction(text: str) -> bool:
    """Tell whether a text tries to command the model that reads it; such a memory is flagged, not hidden.

    It is meant to be right rather than complete: a model must treat every recalled text as a quotation, flagged or not.
    """
    if _HIDDEN.search(text):
        return True
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    pieces = [plain[start : start + _PIECE] for start in range(0, max(1, len(plain)), _PIECE - _OVERLAP)]
    return any(pattern.search(piece) for piece in pieces for pattern in PATTERNS)
