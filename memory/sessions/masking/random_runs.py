"""Long runs of random characters that nothing names."""

import re
from collections.abc import Iterator

from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import entropy

_RUN = re.compile(r"(?<![A-Za-z0-9+/_=.-])[A-Za-z0-9+/_-]{40,200}={0,2}(?![A-Za-z0-9+/_=-])")
# Public keys, integrity hashes and embedded pictures are as random, and no secret.
_PUBLIC = re.compile(r"AAAA[BCE][0-9]|MII[A-Z]|sha(?:1|256|384|512)-|iVBOR|/9j/|R0lGOD|UEsDB|JVBER|data:")
_BEFORE_PUBLIC = re.compile(
    r"(?:sha(?:1|256|384|512)[-:=]|base64,|integrity[\"']?[:=]\s?[\"']?|https?://\S{0,200}|BEGIN CERTIFICATE-----\s"
    r"|ssh-\w{1,12} |commit |digest:?\s?)$"
)
_LEAST_ENTROPY = 4.3
_LOOK_BACK = 220


def find(reading: Reading) -> Iterator[Span]:
    """Yield runs of 40 to 200 characters of three classes with an entropy of 4.3 bits and more, but public ones."""
    text = reading.text
    if not reading.long_words:
        return
    for found in _RUN.finditer(text):
        run = found[0]
        if (
            any(map(str.isdigit, run))
            and any(map(str.islower, run))
            and any(map(str.isupper, run))
            and not _PUBLIC.match(run)
            and not _reads_as_names(run)
            and entropy(run) >= _LEAST_ENTROPY
            and not _BEFORE_PUBLIC.search(text[max(0, found.start() - _LOOK_BACK) : found.start()])
        ):
            yield Span(*found.span(), "token")


def _reads_as_names(run: str) -> bool:
    """Tell paths and slugs: many short parts, most of them letters of one case or numbers."""
    parts = [part for part in re.split(r"[/_+-]", run) if part]
    plain = sum(len(part) for part in parts if part.isdecimal() or part.islower() or part.isupper() or part.istitle())
    return len(parts) > 3 and plain * 2 > len(run)
