"""Passwords told before they are named ("use … as the password"), and pairs of a user and a password."""

import re
from collections.abc import Iterator

from memory.sessions.masking.listed import listed
from memory.sessions.masking.ordinary_words import is_ordinary
from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import is_about_secrets, is_code, is_placeholder, is_plain, looks_secret, value_at

_NAMES = (
    r"(?:password|passwd|passcode|pass ?phrase|passwort|kennwort|contraseña|mot de passe|senha|pw|pwd"
    r"|pin(?: code)?|wachtwoord|lösenord|пароль)"
)
_OWNERS = (
    "the|your|my|our|a|its|his|her|their|das|dein|mein|la|su|tu|mi|mon|mot|le|sua|minha|il|new|old|temporary|temp"
    "|default|initial"
    "|master|admin|root|login|wifi|wi-fi|guest|user|account|current|router|vpn|database|db|still|now|also|currently"
)
_AS = re.compile(
    r"(?:as|for|als|como|comme|in the|into the|come|som|как)[ \t]{1,3}"
    rf"(?:(?:{_OWNERS})[ \t]{{1,3}}){{0,4}}(?P<name>{_NAMES})(?:[ \t]field|[ \t]box)?(?=[\s.,;:!?)\"'”]|$)"
    r"(?![ \t]{1,3}(?:manager|hash|hint|policy|generator|reset|vault|storage))"
)
_GIVING = re.compile(
    r"(?:enter|use|used|using|type|typed|try|tried|put|set|with|choose|chose|pick|picked|need|want|have|had|take|nimm"
    r"|benutze|verwende|gib"
    r"|usa|use|introduce|utilise|entrez|mets|tape|gebruik|använd|skriv|введи|digite|inserisci)[ \t]{1,3}",
)
_IS_NAMED = re.compile(
    r"(?:is|was|ist|es|est|that['’]s|which is|should be|will be)[ \t]{1,3}"
    rf"(?:(?:{_OWNERS})[ \t]{{1,3}}){{1,4}}(?P<name>{_NAMES})(?=[\s.,;:!?)]|$)"
)
_WORD_BEFORE = re.compile(
    r"(?P<value>\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|`[^`\n]{1,80}`|'[^'\n]{1,80}'|[^\s\"“”`]{4,80})$"
)
_REACH = 120

_PAIR = re.compile(
    r"(?:get in|got in|log(?:ged|ging)?[ -]?in|login|log[ -]?on|logon|sign(?:ed|ing)?[ -]?in|credentials?|creds?"
    r"|access|account|user(?:name)?(?:/| and |, ?)pass(?:word)?|user/pw"
    r"|connect|authenticate|zugangsdaten|anmelden|einloggen|auth|basic auth|u/p|ssh|ftp|sftp|vpn|admin panel"
    r"|identifiants)"
    r"(?P<between>[^\n:=]{0,40}?(?:[:=]|\bwith\b|\bas\b|\busing\b|\bis\b|\bare\b|\bmit\b|\bavec\b|\bcon\b)"
    r"|[ \t])[ \t]{0,4}[`\"'*(]{0,3}"
    r"(?P<user>[\w.+-]{1,40}(?:@[\w.-]{1,60})?)[`\"'*]{0,3}"
    r"(?:[ \t]{0,3}(?P<sign>[/:|]|//|,|;|->|\+)[ \t]{0,3}|[ \t]{1,3}(?:and|und|y|et|with|&)[ \t]{1,3}"
    r"|[ \t]{1,3})(?P<open>(?=\S))",
)
_PAIR_CUES = (
    "get in",
    "got in",
    "log",
    "sign",
    "cred",
    "access",
    "account",
    "user",
    "u/p",
    "connect",
    "authent",
    "zugang",
    "anmeld",
    "auth",
    "ssh",
    "ftp",
    "vpn",
    "admin",
    "ident",
)
_BARE_CUES = ("admin", "root", "@", "guest", "demo", "sa/", "sa:", "postgres")
# A pair's password has one of these, or its user is a usual one.
_MARK = re.compile(r"[0-9@#$%^&*_+=~|]|!\w|/ ")
_COMMON_USERS = ("admin", "root", "guest", "demo", "user")
_PAIR_SIGNS = ("/", ":", "|", "//")
_USUAL_USERS = frozenset(
    listed(
        "admin administrator root guest test demo sa postgres mysql oracle ubuntu pi ec2-user tomcat sysadmin superuser"
    )
)
_BARE_PAIR = re.compile(
    r"(?:admin|administrator|root|sa|postgres|guest|demo|@[\w-]{1,40}\.[a-z]{2,10})[ \t]?[:/|][ \t]?(?=[^\s/:])"
)
# Behind "user@host:" a port or a path is meant.
_PLACE = re.compile(r"[0-9]{2,5}(?:/.{0,256})?|[^\s]{0,200}[/~].{0,200}|[\w.-]{1,200}\.[A-Za-z0-9]{1,5}")
_NO_START = re.compile(r"[\w/:.@-]")
# Letters for the two ("u: … p: …"), and a pair of arguments in code.
_INITIALS = re.compile(
    r"(?<![^\s(])u(?:ser|sr|n)?[ \t]{0,2}[:=][ \t]{0,2}\S{1,60}[\s,;/|]{1,4}p(?:w|ass"
    r"|wd)?[ \t]{0,2}[:=][ \t]{0,2}(?=\S)"
)
_ARGUMENTS = re.compile(
    r"(?:auth\w{0,16}|login|log_in|signin|sign_in|authenticate|basicauth|credentials?)\s{0,2}[=:]?\s{0,2}[(\[]\s{0,4}"
    r"[\"'][^\"'\n]{1,80}[\"']\s{0,2},\s{0,4}(?=[\"'])"
)


def find(reading: Reading) -> Iterator[Span]:
    """Yield secrets that are named after they are told, and passwords behind the name of their user."""
    text, lower = reading.text, reading.lower
    if reading.nouns or " pin" in lower:
        yield from _named_after(text, _AS.finditer(lower), needs_giving=True)
        yield from _named_after(text, _IS_NAMED.finditer(lower), needs_giving=False)
    if _MARK.search(lower) or any(user in lower for user in _COMMON_USERS):
        if any(cue in lower for cue in _PAIR_CUES):
            yield from _in_pairs(text, _PAIR.finditer(lower))
        if any(cue in lower for cue in _BARE_CUES):
            yield from _in_bare_pairs(text, filter(_begins_apart, _BARE_PAIR.finditer(lower)))
        yield from _in_bare_pairs(text, _ARGUMENTS.finditer(lower))
        yield from _in_bare_pairs(text, _INITIALS.finditer(lower))


def _named_after(text: str, named: Iterator[re.Match[str]], *, needs_giving: bool) -> Iterator[Span]:
    for found in named:
        window = text[max(0, found.start() - _REACH) : found.start()]
        if not window or window[-1] not in " \t(":
            continue
        span = _given(window.rstrip(" \t,(-<←=–—"), needs_giving)
        if span:
            offset = found.start() - len(window)
            kind = "PIN" if found["name"].startswith("pin") else "password"
            yield Span(span[0] + offset, span[1] + offset, kind)


def _given(window: str, needs_giving: bool) -> tuple[int, int] | None:
    word = _WORD_BEFORE.search(window.rstrip("*_"))
    if not word:
        return None
    start, end = word.span("value")
    quoted = word["value"][0] in "\"“`'"
    value = word["value"].strip("\"“”`'*_(")
    start += len(word["value"]) - len(word["value"].lstrip("\"“”`'*_("))
    end = start + len(value)
    if not value or is_placeholder(value) or is_about_secrets(value) or is_code(value):
        return None
    if looks_secret(value) or (quoted and not all(map(is_ordinary, value.split()))):
        return start, end
    giving = needs_giving and list(_GIVING.finditer(window.lower(), max(0, start - 60), start))
    if not giving:
        return None
    phrase_start = giving[-1].end()
    phrase = window[phrase_start:end].split()
    fits = 1 <= len(phrase) <= 8 and all(map(is_plain, phrase)) and not any(map(is_ordinary, phrase))
    return (phrase_start, end) if fits else None


def _in_pairs(text: str, pairs: Iterator[re.Match[str]]) -> Iterator[Span]:
    for pair in pairs:
        value = value_at(text, pair.end())
        if not value or is_placeholder(value.text) or is_about_secrets(value.text) or is_code(value.text):
            continue
        known = pair["user"] in _USUAL_USERS or "@" in pair["user"]
        apart = pair["sign"] in _PAIR_SIGNS
        if _looks_strong(value.text):
            fits = known or (apart and not is_ordinary(pair["user"]))
        else:
            fits = known and apart and is_plain(value.text) and not is_ordinary(value.text)
        if fits:
            yield Span(value.start, value.end, "password")


def _in_bare_pairs(text: str, pairs: Iterator[re.Match[str]]) -> Iterator[Span]:
    for pair in pairs:
        value = value_at(text, pair.end())
        if value and _looks_strong(value.text) and not is_code(value.text) and not _PLACE.fullmatch(value.text):
            yield Span(value.start, value.end, "password")


def _begins_apart(pair: re.Match[str]) -> bool:
    """Tell a user's name that is no end of a longer word; an address begins before its "@"."""
    start = pair.start()
    return pair[0].startswith("@") or not start or _NO_START.match(pair.string, start - 1) is None


def _looks_strong(value: str) -> bool:
    return (
        looks_secret(value)
        and not value.isdecimal()
        and any(char.isdigit() or not char.isalnum() for char in value)
        and any(map(str.isalpha, value))
    )
