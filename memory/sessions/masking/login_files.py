"""Files and consoles in which log-ins are kept: .netrc, .pgpass, password files, device and database settings."""

import re
from collections.abc import Iterator

from memory.sessions.masking.listed import listed
from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import is_placeholder

_NETRC = re.compile(
    r"(?:machine\s{1,8}\S{1,200}|\bdefault\s{1,8}(?=login\s))\s{0,8}"
    r"(?:login\s{1,8}\S{1,200}\s{1,8})?(?:account\s{1,8}\S{1,200}\s{1,8})?"
    r"password\s{1,8}(?P<value>[^\s\ufffc]{1,400})"
)
_PGPASS = re.compile(
    r"^[\w.*-]{1,80}:(?:[0-9]{2,5}|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(?P<value>[^\s\ufffc]{3,200})$", re.MULTILINE
)
_CRYPTED = re.compile(
    r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id|i|d)|scrypt|sha1|P|H)\$[./A-Za-z0-9$=,+-]{16,400}"
    r"|\b(?:pbkdf2_sha[0-9]{1,3}|bcrypt_sha256|scrypt|argon2)\$[./A-Za-z0-9$=,+-]{20,400}"
    r"|\{(?:SSHA|SHA|SMD5|CRYPT|SSHA512)\}[A-Za-z0-9+/=$.]{16,200}"
)
_CRYPT_MARKS = listed(
    "$1$ $2a$ $2b$ $2y$ $2x$ $5$ $6$ $7$ $y$ $gy$ $apr1$ $argon2 $P$ $H$ pbkdf2_sha _sha256$ scrypt$ argon2$ {SSHA"
    " {SHA} {SMD5}"
    " {CRYPT}"
)
_DIRECTIVE = re.compile(
    r"(?:identified (?:with \w{1,40} )?by|enable (?:secret|password)(?: [0-9])?"
    r"|username \S{1,60} (?:privilege [0-9]{1,2} )?(?:password|secret)(?: [0-9])?|snmp-server community|requirepass"
    r"|masterauth|auth plain|auth login|password [57]|key-string(?: 7)?|wpa-psk ascii [0-9])[ \t]{1,4}"
    r"(?P<value>\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s;\"'\ufffc]{3,400})"
)
_DIRECTIVE_CUES = (
    "identified",
    "enable ",
    "username ",
    "snmp-",
    "requirepass",
    "masterauth",
    "auth ",
    "password ",
    "key-string",
    "wpa-psk",
)


def find(reading: Reading) -> Iterator[Span]:
    """Yield passwords, also encrypted ones, out of the settings of known programs."""
    text, lower = reading.text, reading.lower
    if "password" in text and ("machine" in text or "default" in text):
        yield from (Span(*found.span("value"), "password") for found in _NETRC.finditer(text))
    if text.count(":") >= 4:
        yield from (Span(*found.span("value"), "password") for found in _PGPASS.finditer(text))
    if ("$" in text or "{" in text) and any(mark in text for mark in _CRYPT_MARKS):
        yield from (Span(*found.span(), "password") for found in _CRYPTED.finditer(text))
    if any(cue in lower for cue in _DIRECTIVE_CUES):
        for found in _DIRECTIVE.finditer(lower):
            written = text[found.start("value") : found.end("value")]
            value = written.strip("\"'")
            if not is_placeholder(value) and (written != value or any(map(str.isdigit, value))):
                yield Span(*found.span("value"), "password")
