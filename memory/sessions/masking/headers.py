"""Secrets in HTTP headers."""

import re
from collections.abc import Iterator

from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import is_placeholder, looks_random, looks_secret

_AUTHORIZATION = re.compile(
    r"authorization[\"']?\s{0,3}[:=,]\s{0,3}[\"'`]?(?:(?P<scheme>bearer|basic|token|digest|negotiate|ntlm|apikey"
    r"|api-key"
    r"|key|bot|hmac|oauth|aws4-hmac-sha256|splunk|genericmailkey|ssws|zoho-oauthtoken|klaviyo-api-key|discogs|hawk"
    r"|dpop)"
    r"[ \t]{1,3})?(?P<value>[^\s\"'`\ufffc][^\n\"'`\ufffc]{5,4096})"
)
_WHOLE_LINE = frozenset(("digest", "oauth", "aws4-hmac-sha256", "hawk", "hmac"))
_BEARER = re.compile(
    r"(?:bearer|basic)(?<![a-z0-9]b.....)(?<![a-z0-9]basic)[ \t]{1,3}[\"'`]?(?P<value>[a-z0-9_~+/.-]{16,4096}={0,2})"
)
_KEY_HEADER = re.compile(
    r"(?P<name>x-[a-z0-9-]{0,30}(?:key|token|secret|auth|signature|password|session|credential)|api-key|apikey"
    r"|private-token"
    r"|job-token|circle-token|dd-api-key|dd-application-key|ocp-apim-subscription-key|hmac-signature)"
    r"[\"']?[ \t]{0,3}[:=,][ \t]{0,3}[\"'`]?(?P<value>[^\s\"'`,\ufffc]{6,4096})"
)


def find(reading: Reading) -> Iterator[Span]:
    """Yield the values of headers that admit somebody: Authorization, API keys and tokens."""
    text, lower = reading.text, reading.lower
    if "authorization" in lower:
        yield from _authorizations(text, lower)
    if "bearer" in lower or "basic" in lower:
        for found in _BEARER.finditer(lower):
            if _is_random(text[found.start("value") : found.end("value")]):
                yield Span(*found.span("value"), "token")
    if "x-" in lower or "key" in lower or "-token" in lower or "-signature" in lower:
        for found in _KEY_HEADER.finditer(lower):
            value = text[found.start("value") : found.end("value")]
            if looks_secret(value) and any(map(str.isdigit, value)) and not lower[: found.start()][-1:].isalnum():
                yield Span(*found.span("value"), "key" if "key" in found["name"] else "token")


def _authorizations(text: str, lower: str) -> Iterator[Span]:
    for found in _AUTHORIZATION.finditer(lower):
        start, end = found.span("value")
        value = text[start:end]
        first = value.split()[0]
        if not is_placeholder(value) and (_is_random(first) if found["scheme"] else looks_random(first, 8)):
            yield Span(start, end if found["scheme"] in _WHOLE_LINE else start + len(first), "token")


def _is_random(value: str) -> bool:
    """Tell encoded characters from a word: a digit, padding, or capitals within."""
    return any(map(str.isdigit, value)) or value.endswith("=") or not (value[1:].islower() or value.isupper())
