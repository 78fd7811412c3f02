"""Numbers of payment cards, and the short codes printed beside them."""

import re
from collections.abc import Iterator

from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span

_NUMBER = re.compile(
    r"(?<![\w.-])[2-6][0-9]{3}(?P<joint>[ -]?)(?:[0-9]{4}(?P=joint)){2}[0-9]{4}(?![\w-])"
    r"|(?<![\w.-])3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}(?![\w-])"
)
_CARD = re.compile(
    r"\b(?:cards?|visa|mastercard|amex|american express|maestro|debit|kreditkarte|karte|carte|tarjeta"
    r"|cartão|carta|cv[vc]2?|exp(?:ires|iry)?)\b"
)
_CODE = re.compile(
    r"\b(?:cv[vc]2?|cvv/cvc|card (?:security|verification) (?:code|number|value))\b"
    r"(?:[ \t]{0,3}(?:[:=#]|is|ist|es|est|lautet)|(?=[ \t]))[ \t]{0,3}(?P<code>[0-9]{3,4})(?![\w%-]|[.,][0-9])"
)
_AROUND = 60


def find(reading: Reading) -> Iterator[Span]:
    """Yield card numbers that a word of cards stands near, and their codes. Check digits by ISO/IEC 7812-1 (Luhn)."""
    lower = reading.lower
    for found in _NUMBER.finditer(lower):
        digits = [int(char) for char in found[0] if char.isdecimal()]
        if _is_checked(digits) and _CARD.search(lower[max(0, found.start() - _AROUND) : found.end() + _AROUND]):
            yield Span(*found.span(), "card number")
    if "cv" in lower or "card " in lower:
        for found in _CODE.finditer(lower):
            yield Span(*found.span("code"), "card code")


def _is_checked(digits: list[int]) -> bool:
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
