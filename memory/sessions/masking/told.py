"""Passwords told in prose: "the password for the router is …", "use … as the password", "log in with admin / …"."""

import re
from collections.abc import Iterator

from memory.sessions.masking.ordinary_words import is_ordinary
from memory.sessions.masking.passphrases import is_phrase, whole_clause, words_of
from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span
from memory.sessions.masking.values import (
    Value,
    is_about_secrets,
    is_code,
    is_placeholder,
    is_plain,
    looks_random,
    looks_secret,
    value_at,
)
from memory.sessions.masking.words import Noun

_PREPOSITION = (
    "i|you|he|she|we|they|that|which|for|to|of|on|at|in|from|into|behind|i use for|we use for|you need|für|fürs|zum"
    "|zur|vom|von|pour|de|du|del|da|do"
    "|para|per|di"
    "|voor|van|till|til|för|dla|к|от|для|na|ke|untuk|that works|here|there|we use|i use|i set|i chose"
)
_QUALIFIER = (
    rf"(?:[ \t]{{1,3}}(?:{_PREPOSITION})(?:[ \t]{{1,3}}[^\s:=：]{{1,40}}){{0,6}}?)?(?:[ \t]{{0,3}}\([^()\n]{{1,60}}\))?"
)
_ADVERB = (
    "now|still|currently|just|simply|literally|basically|actually|always|set to|going to be|changed to|reset to|called"
    "|either|probably|i think|jetzt|immer noch|ahora|maintenant|nu|adesso|agora"
)
_VERB = (
    "is|are|was|were|will be|would be|should be|becomes|became|remains|reads|equals|be|ist|lautet|war|heißt|es|era"
    "|est|était"
    "|é|è|är|er|on|jest|byl[oa]|je|это|is dus|là|adalah|está|=|—|–|-|->|→|⇒|~>|->"
)
_LINK = re.compile(
    rf"(?:['’]s)?{_QUALIFIER}(?:"
    rf"[\"'*_`”]{{0,3}}[ \t]{{0,4}}(?P<sign>[:=：＝]|->|=>|→|⇒|—|–|[ \t]-[ \t])"
    rf"|[\"'*_`”]{{0,3}}[ \t]{{1,4}}(?P<verb>{_VERB})(?:[ \t]{{1,3}}(?:{_ADVERB})){{0,2}}[:,]?(?=[ \t\n\"'`“„«‘*])"
    r"|[ \t]{0,2}(?P<asian>は|是|为|為|が|는|은|이|가|就是|です|คือ)[:：]?"
    r")[*_]{0,3}\s{0,4}",
    re.IGNORECASE,
)
_SHORT_IS = re.compile(r"['’]s(?:[ \t]{1,3}(?:now|still|just)){0,2}[ \t]{1,3}", re.IGNORECASE)
_NAMELY = re.compile(
    rf"{_QUALIFIER}(?:[ \t]{{0,2}}[,;.!(–—-]{{1,2}})?[ \t]{{1,3}}(?:and[ \t])?(?:it['’]?s|it is|it was|c['’]est"
    rf"|which is|that['’]s|namely|das ist|es ist|(?:just[ \t])?(?:say|type|enter|try|use))"
    rf"(?:[ \t]{{1,3}}(?:{_ADVERB})){{0,2}}:?[ \t]{{1,3}}",
    re.IGNORECASE,
)
_ASKED = re.compile(rf"{_QUALIFIER}\?[ \t]{{1,3}}", re.IGNORECASE)
_BESIDE = re.compile(r"[ \t]{1,4}(?:of[ \t]{1,3}|(?:called|being)[ \t]{1,3})?(?=\S)")
_NEXT_LINE = re.compile(
    rf"{_QUALIFIER}(?:[ \t]{{1,3}}(?:is|are)(?:[ \t]{{1,3}}(?:this|below|here"
    rf"|as follows))?)?[ \t]{{0,3}}[:=]?[ \t]{{0,3}}\r?\n{{1,2}}[ \t>*-]{{0,6}}",
    re.IGNORECASE,
)
_CHANGE_BEFORE = re.compile(
    r"(?:set|chang(?:e|ed|ing)|reset|resetting|updat(?:e|ed|ing)|switch(?:ed)?|rotat(?:e|ed)|mak(?:e|ing)|made"
    r"|geändert|ändere"
    r"|setze?|cambi(?:a|é|ado)|pon|changé|mets)[ \t]{1,3}(?:[^\s.;!?]{1,20}[ \t]{1,3}){0,6}$",
    re.IGNORECASE,
)
_CHANGE_AFTER = re.compile(
    rf"{_QUALIFIER}(?:[ \t]{{1,3}}(?:has been|have been|was|were|is|got|wurde|been|being"
    rf"|then))?(?:[ \t]{{1,3}}(?:just|now|since|then|temporarily))?"
    r"(?:[ \t]{1,3}(?:changed|reset|set|updated|rotated|switched|back))?[ \t]{1,3}(?:back[ \t]{1,3})?(?:to|auf|a|en|à"
    r"|till|til)[ \t]{1,3}",
    re.IGNORECASE,
)
_CHANGED = re.compile(r"changed|reset|set|updated|rotated|switched", re.IGNORECASE)
_CHANGED_TO = re.compile(
    r"changed|was reset|been reset|\bset|updated|switched|rotated|made|geändert|cambié|changé", re.IGNORECASE
)
_USER_BEFORE = re.compile(
    r"(?:user(?:name)?|login|account|usr|uid|log in|sign in|e-?mail)\b[^\n]{1,60}$", re.IGNORECASE
)
_CLAUSE_END = re.compile(
    r"[*_~\"'`”]{0,3}(?:[ \t]{0,3}(?:$|[\n\r.,;!?)\]|–—<&])|[ \t]{1,3}(?:and|but|so|if|for|und|y|et|because|since"
    r"|which|btw|now|again|please|today|yesterday|until|when|then|by the way|-)\b)"
)
_MARKS = "-#/$"
_PHRASE_WORDS = ("passphrase", "pass phrase", "pass-phrase")
_FEWEST_WORDS = 2
_LOOK_BACK = 90
_SHORTEST_TOKEN = 8


def find(reading: Reading) -> Iterator[Span]:
    """Yield the secrets that a sentence tells after naming them."""
    text = reading.text
    done = 0
    for noun in reading.nouns:
        # What a name is given with "=" is another family's; behind such a mark it is no word of a sentence.
        if (
            noun.start < done
            or noun.suffixed
            or text.startswith("=", noun.end)
            or (noun.start and text[noun.start - 1] in _MARKS)
        ):
            continue
        value = _told(noun, text)
        if value:
            yield Span(value.start, value.end, noun.kind)
            done = value.end


def _told(noun: Noun, text: str) -> Value | None:
    for ways in (_after_a_link, _after_a_change, _right_beside, _namely, _on_the_next_line):
        value = ways(noun, text)
        if value:
            return value
    return None


def _after_a_link(noun: Noun, text: str) -> Value | None:
    link = _LINK.match(text, noun.end) or _SHORT_IS.match(text, noun.end)
    value = value_at(text, link.end()) if link else None
    if not link or not value:
        return None
    sign = "sign" in link.re.groupindex and (link["sign"] or link["asian"] or (link["verb"] or "").lower() == "lautet")
    return _accepted(noun, value, text, bool(sign))


def _after_a_change(noun: Noun, text: str) -> Value | None:
    after = _CHANGE_AFTER.match(text, noun.end)
    if not after:
        return None
    if not _CHANGED.search(after[0]) and not _CHANGE_BEFORE.search(text[max(0, noun.start - _LOOK_BACK) : noun.start]):
        return None
    value = value_at(text, after.end())
    accepted = _accepted(noun, value, text, True) if value else None
    if not accepted or accepted.quoted or (looks_secret(accepted.text) and " " not in accepted.text):
        return accepted
    # "Change your password to stay safe" says what for; "I changed it to …" says what to.
    told = _CHANGED_TO.search(text[max(0, noun.start - _LOOK_BACK) : after.end()])
    return accepted if told and " " not in accepted.text else None


def _right_beside(noun: Noun, text: str) -> Value | None:
    beside = _BESIDE.match(text, noun.end)
    value = value_at(text, beside.end()) if beside else None
    if not value or (noun.strength == "doubtful" and not (value.quoted or noun.joined or _after_a_user(noun, text))):
        return None
    if looks_secret(value.text) and not is_code(value.text) and not is_about_secrets(value.text):
        strong = value.quoted or any(char.isdigit() for char in value.text) or not is_plain(value.text)
        if noun.kind == "password":
            return value if (strong and not value.text.isdecimal()) or _after_a_user(noun, text) else None
        return value if looks_random(value.text, _SHORTEST_TOKEN + 4) else None
    if noun.word in _PHRASE_WORDS and is_phrase(phrase := words_of(text, value)):
        return phrase
    apart = text[noun.start - 1 : noun.start] in ("", " ", "\t", "\n", "(")
    if noun.kind != "password" or not apart or is_ordinary(value.text):
        return None
    if _after_a_user(noun, text) or (value.quoted and text[noun.start : noun.end].isupper()):
        return _accepted(noun, value, text, True)
    return None


def _namely(noun: Noun, text: str) -> Value | None:
    namely = _NAMELY.match(text, noun.end) or _ASKED.match(text, noun.end)
    value = value_at(text, namely.end()) if namely else None
    if not namely or not value or not looks_secret(value.text) or is_code(value.text) or is_about_secrets(value.text):
        return None
    if "?" in namely[0] and not any(map(str.isdigit, value.text)):
        return None
    return value if noun.kind == "password" or looks_random(value.text, _SHORTEST_TOKEN + 4) else None


def _on_the_next_line(noun: Noun, text: str) -> Value | None:
    line = _NEXT_LINE.match(text, noun.end)
    value = value_at(text, line.end()) if line else None
    if not value or is_about_secrets(value.text) or is_code(value.text) or not looks_secret(value.text):
        return None
    alone = text[value.end : value.end + 4].strip("*_`\"'.”").split("\n")[0].strip() == ""
    return value if alone and (noun.kind == "password" or looks_random(value.text, _SHORTEST_TOKEN)) else None


def _after_a_user(noun: Noun, text: str) -> bool:
    return _USER_BEFORE.search(text[max(0, noun.start - _LOOK_BACK) : noun.start]) is not None


def _accepted(noun: Noun, value: Value, text: str, sign: bool) -> Value | None:
    if noun.kind != "password":
        return value if looks_random(value.text, _SHORTEST_TOKEN) and not is_about_secrets(value.text) else None
    if is_placeholder(value.text) or is_about_secrets(value.text):
        return None
    if noun.strength == "doubtful" and not looks_secret(value.text):
        return None
    if value.quoted:
        return None if all(map(is_ordinary, value.text.split())) else value
    if is_code(value.text):
        return None
    return value if looks_secret(value.text) else _plain_words(noun, value, text, sign)


def _plain_words(noun: Noun, value: Value, text: str, sign: bool) -> Value | None:
    """Return a password of plain words: one that ends its clause, or a phrase; two only behind a sign."""
    if not is_plain(value.text):
        return None
    phrase = words_of(text, value)
    if is_phrase(phrase):
        return phrase
    if is_ordinary(value.text):
        return None
    if noun.word in _PHRASE_WORDS:
        return whole_clause(text, value)
    count = len(phrase.text.split())
    fits = count > _FEWEST_WORDS or _CLAUSE_END.match(text, phrase.end)
    return phrase if fits and (sign or count != _FEWEST_WORDS) else None
