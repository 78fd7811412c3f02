"""Private key blocks, whole or cut off, and keys in the formats of their own tools."""

import re
from collections.abc import Iterator

from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span

_BEGIN = re.compile(r"-{2,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_END = re.compile(r"-{2,5} ?END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{2,5}")
_LONGEST_BLOCK = 20_000
# A block too short to be known by its lines alone: one run of signs a line, and an end.
_SHORT_BLOCK = re.compile(
    r"(?:\\{1,3}[nr]|[ \t]{0,4}\r?\n[ \t]{0,4}){0,4}[A-Za-z0-9+/=]{1,200}"
    r"(?:(?:\\{1,3}[nr]|[ \t]{0,4}\r?\n[ \t]{0,4}){1,4}[A-Za-z0-9+/=]{1,200}){0,20}"
    r"(?:\\{1,3}[nr]|[ \t]{0,4}\r?\n[ \t]{0,4}){0,4}" + _END.pattern
)
_BODY_LINE = re.compile(
    r"(?:\\{0,3}[nr]|[\s\"'+,;>|#*/]|(?<=\n)[0-9]{1,4}[:.|]?[ \t]){0,40}"
    r"(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset): [^\n]{0,120}"
    r"|[A-Za-z0-9+/=]{20,8192}|[A-Za-z0-9+/]{1,19}={1,2}|(?=[A-Za-z0-9+/]{0,18}[0-9+])[A-Za-z0-9+/]{4,19}"
    r"(?=[\s\"'\\-]|$))"
)
_PUTTY = re.compile(r"Private-Lines: [0-9]{1,3}\s{1,4}(?:[A-Za-z0-9+/=]{1,80}\s{0,4}){1,200}")
_XML = re.compile(r"<(?P<part>D|P|Q|DP|DQ|InverseQ)>[A-Za-z0-9+/=\s]{16,2000}</(?P=part)>")
_WEB_KEY = re.compile(r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"(?P<value>[A-Za-z0-9_-]{22,2000})\"")


def find(reading: Reading) -> Iterator[Span]:
    """Yield private key blocks; one without an end goes as far as its lines look like a key's."""
    text = reading.text
    if "PRIVATE KEY" in text:
        yield from _blocks(text)
    if "Private-Lines:" in text:
        for found in _PUTTY.finditer(text):
            yield Span(found.start(), found.end(), "private key")
    if "<RSAKeyValue>" in text:
        for found in _XML.finditer(text):
            yield Span(found.start(), found.end(), "private key")
    if '"kty"' in text:
        for found in _WEB_KEY.finditer(text):
            yield Span(*found.span("value"), "private key")


def _blocks(text: str) -> Iterator[Span]:
    done = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        done = _end_of_lines(text, begin.end())
        if done == begin.end():
            if short := _SHORT_BLOCK.match(text, begin.end()):
                done = short.end()
                yield Span(begin.start(), done, "private key")
            continue
        # Searched for only where one can be: many blocks without an end must not each look far ahead.
        limit = begin.end() + _LONGEST_BLOCK
        end = (
            None if text.find("END ", done, limit) < 0 else _END.search(text, begin.end(), begin.end() + _LONGEST_BLOCK)
        )
        following = _BEGIN.search(text, begin.end(), end.start()) if end else None
        if end and not following:
            done = end.end()
        yield Span(begin.start(), done, "private key")


def _end_of_lines(text: str, end: int) -> int:
    while line := _BODY_LINE.match(text, end):
        end = line.end()
    return end
