"""A line that is itself the secret, since the line before asked for one."""

import re

from memory.sessions.masking.ordinary_words import is_ordinary
from memory.sessions.masking.spans import MARKER, Span
from memory.sessions.masking.values import is_code, is_placeholder, is_plain, looks_secret, value_at

_ASKS = re.compile(
    r"(?:what(?:['’]?s| is| was| are| the| your| my)|which|send|give|tell|share|text|remind|need|enter|type|paste|dm"
    r"|know|have|remember|forgot|got|whats|wie|was ist|cuál|quel|qual|schick|sag"
    r"|envía|dime|envoie|donne|какой|何|什么|please|read me|can i get|could i get|provide|confirm)[^\n]{0,80}?"
    r"(?P<noun>password|passcode|passphrase|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|lösenord"
    r"|пароль|パスワード|密码|\bpw\b|\bpwd\b|\bpin\b|\bpuk\b|\botp\b|\btan\b|code|código|验证码|token|api key|secret)"
    r"(?![ -]?(?:review|manager|reset|policy|base|style|hint|change|field|quality|for the function|sample|example"
    r"|snippet))",
    re.IGNORECASE,
)
_ENDS_ASKING = re.compile(
    r"(?:^|[\n.!?]\s{0,3})[^\n.!?]{0,40}(?P<noun>password|passcode|passwort|contraseña|mot de passe|senha|\bpin\b"
    r"|code|otp)(?: for [^\n?:]{1,40})?\s{0,2}[?:]\s{0,3}$",
    re.IGNORECASE,
)
_OTHER_CODES = re.compile(
    r"(?:error|status|exit|zip|postal|area|country|promo|discount|coupon|source|dress|response|return|product|your"
    r"|review|write|run|fix|test|read) (?:the |my |this )?code\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:sure|yes|yeah|yep|ok|okay|it['’]?s|its|it is|here(?: it is| you go| ya go)?|here['’]s|that['’]s"
    r"|that would be|i think(?: it['’]?s)?|should be|try|use|der ist|es|c['’]est|lautet|es ist|ah|oh|um|of course|np"
    r"|no problem"
    r"|still|the same|just|ja|klar|sí|oui|это)[\s,:;!.—–-]{1,4}){0,5}",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?:[A-Z]-)?[0-9]{4,10}|[0-9]{2,4}[ -][0-9]{2,4}(?:[ -][0-9]{2,4}){0,2}"
    r"|(?=[A-Z0-9-]{0,10}[0-9])[A-Z0-9]{3,8}(?:-[A-Z0-9]{2,6}){0,2}"
)
_TAIL = re.compile(
    r"[*_`\"'”.!,;)\s]{0,6}(?:$|\n|(?:all lowercase|all caps|no spaces|capital [a-z]|\(|with a|and|the|thanks|let me"
    r"|it expires|i think|don['’]t|but|—|-|:\))[^\n]{0,120}$)",
    re.IGNORECASE,
)
_ASKED_IN = 300
# One of these stands in whatever the two patterns above find; looking for them first is many times quicker.
_NOUNS = (
    *("pass", "kennwort", "contraseña", "mot de passe", "senha", "wachtwoord", "lösenord", "пароль", "パスワード"),
    *("密码", "pw", "pin", "puk", "otp", "tan", "code", "código", "验证码", "token", "api key", "secret"),
)
_LONGEST_ANSWER = 200
_LONGEST_LEAD = 3
_PHRASE_WORDS = range(3, 9)


def answer_of(previous: str, text: str) -> Span | None:
    """Return the secret that a short answer consists of, if the line before asked for a password, PIN or code."""
    end = previous[-_ASKED_IN:]
    if len(text) > _LONGEST_ANSWER or not any(noun in end.casefold() for noun in _NOUNS) or MARKER.search(text):
        return None
    asked = _ENDS_ASKING.search(end) or _ASKS.search(end)
    if not asked or _OTHER_CODES.search(end):
        return None
    noun = asked["noun"].lower()
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    if noun in ("pin", "puk", "otp", "tan", "code", "código", "验证码"):
        return _code(text, start, "PIN" if noun in ("pin", "puk") else "one-time code")
    return _password(text, start, "token" if noun in ("token", "api key", "secret") else "password")


def _code(text: str, start: int, kind: str) -> Span | None:
    while start < len(text) and text[start] in " \t*_`\"'“":
        start += 1
    found = _CODE.match(text, start)
    return Span(*found.span(), kind) if found and _TAIL.match(text, found.end()) else None


def _password(text: str, start: int, kind: str) -> Span | None:
    value = value_at(text, start + len(text[start:]) - len(text[start:].lstrip()))
    if not value or is_placeholder(value.text) or is_code(value.text):
        return None
    if _TAIL.match(text, value.end) and (value.quoted or looks_secret(value.text)):
        return None if all(map(is_ordinary, value.text.split())) else Span(value.start, value.end, kind)
    alone = text[value.start :].strip(" \t\n.!*_`\"'”")
    words = alone.split(" ")
    fits = len(words) in _PHRASE_WORDS and all(is_plain(word) and word.islower() for word in words)
    if kind == "password" and fits and sum(map(is_ordinary, words)) <= len(words) // 4:
        return Span(value.start, value.start + len(alone), kind)
    return None
