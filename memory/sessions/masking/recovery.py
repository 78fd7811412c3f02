"""Lists of recovery codes, and seed phrases of plain words."""

import re
from collections.abc import Iterator

from memory.sessions.masking.listed import listed
from memory.sessions.masking.readings import Reading
from memory.sessions.masking.spans import Span

# Flat alternatives, each beginning with a letter, scan fastest.
_CUE = re.compile(
    "|".join(
        f"{word}[ -](?:2fa |access |login |sign-in |account |verification )?(?:codes?|keys?|tokens?)"
        for word in listed("recovery backup back-up rescue scratch emergency restore reserve bypass")
    )
    + r"|wiederherstellungs(?:codes?|schlüssel)|backupcodes?|notfallcodes?|ersatzcodes?"
    r"|códigos? de (?:recuperación|respaldo|recuperação)|codes? de (?:secours|récupération)"
    r"|codici di (?:recupero|backup)|herstelcodes?|återställningskod(?:er)?"
    r"|リカバリーコード|バックアップコード|恢复代码|恢复码|备用码|복구 코드"
)
_LEAD = re.compile(
    r"[^\n:=]{0,80}?(?:[:=]|(?<![^\s])(?:is|are|ist|sind|es|son|est|sont|was|were)(?!\S)|\n|→|->|は|是)[ \t]{0,4}"
    r"|[ \t]{1,3}|"
)
_SEPARATOR = re.compile(
    r"(?:[\s,;|/*`\"'“”•·>\[\]()_]|-[ \t]|–|(?<![0-9A-Za-z])[0-9]{1,2}[.):][ \t]{0,3}|(?:and|und|y|et|or)\s|☐"
    r"|\[ ?x?\]){0,40}"
)
_CODE = re.compile(
    r"(?<![\w-])(?:(?=[A-Za-z0-9-]{0,15}[0-9])[A-Za-z0-9]{4,16}(?:-[A-Za-z0-9]{2,16}){0,9}"
    r"|[a-z]{4,6}(?:-[a-z]{4,6}){1,5}|[A-Z]{4,8}(?:-[A-Z]{4,8}){1,9}|[0-9]{4} [0-9]{4}"
    r"|[A-Z0-9]{4}(?: [A-Z0-9]{4}){2,7})(?![\w-])"
)
_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:-[0-9]{2}-[0-9]{2})?|[0-9]{1,4}(?:st|nd|rd|th|px|mb|gb)", re.IGNORECASE)
_WITHOUT_CUE = re.compile(
    r"(?<![\w-])[0-9]{6}(?:-[0-9]{6}){7}(?![\w-])|(?<![\w-])[A-Z0-9]{4}(?:-[A-Z0-9]{4}){6}(?![\w-])"
)
_NOUNS = ("code", "key", "token", "codici", "schlüssel", "kod")
_STEMS = (
    "recover",
    "backup",
    "back-up",
    "rescue",
    "scratch",
    "emergency",
    "restore",
    "reserve",
    "bypass",
    "wiederherst",
    "notfall",
    "ersatz",
    "codes de",
    "code de",
    "codici",
    "herstel",
)
_MOST_CODES = 40

_SEED_CUE = re.compile(
    "|".join(
        f"{word}[ -](?:phrase|words|word list|sentence|seed|key)"
        for word in listed("recovery,backup,wallet,secret recovery,secret,restore,bip-?39", ",")
    )
    + r"|mnemonic(?:[ -](?:phrase|words|sentence|seed))?|seed(?:[ -](?:phrase|words|word list|sentence|key))?"
    r"|12[ -]words?|15[ -]words?|18[ -]words?|21[ -]words?|24[ -]words?|twelve[ -]words?|twenty-four[ -]words?"
    r"|wiederherstellungs(?:phrase|wörter)|frase (?:semilla|de recuperación)|phrase de récupération"
    r"|助记词|シードフレーズ"
)
_SEED_LEAD = re.compile(r"[^\n:=]{0,80}?(?:[:=]|(?<!\S)(?:is|are|was|ist|es|est)(?!\S)|\n|→|->|は|是)|[ \t]|[\"'`“]|")
_SEED = re.compile(
    r"[\s\"'`“*_-]{0,12}(?P<words>(?:[0-9]{1,2}[.):]\s{0,3})?[a-z]{3,8}(?:(?:[ \t]{1,4}|\s{0,3},\s{0,3}"
    r"|\s{0,2}\n[ \t]{0,4}|[ \t]{0,2}-[ \t]{0,2})(?:[0-9]{1,2}[.):]\s{0,3})?[a-z]{3,8}){8,24})(?![\w'’])"
)
_SEED_LINE = re.compile(r"[ \t\"'`“*>]{0,6}(?P<words>[a-z]{3,8}(?: [a-z]{3,8}){11,23})[ \t\"'`”*.]{0,6}$")
_NUMBERED_SEED = re.compile(
    r"(?<![\w.])(?:[0-9]{1,2}[.):]?[ \t]{1,3}[a-z]{3,8}[\s,;]{1,4}){11,23}"
    r"(?:[0-9]{1,2}[.):]?[ \t]{1,3}[a-z]{3,8})?(?![\w'])"
)
_LETTERS = re.compile(r"[a-z]{3,8}")
_NEVER_IN_SEEDS = frozenset(
    listed(
        "the and for are was not but from has had his her its our out she him did does were been would could should"
        " their them these those might being went said got get was"
        " here his how who why let yes lol gonna wanna going things really very much many most some more than after"
        " before about which where"
    )
)
_SENTENCE = re.compile(r"[a-z]{4,}ing|[a-z]{3,}ed|[a-z]{2,}ly|[a-z]{2,}[bcdefgklmnprtvwy]s")
_LENGTHS = (12, 15, 18, 21, 24)


def find(reading: Reading) -> Iterator[Span]:
    """Yield recovery codes behind their name, and seed phrases: named, or twelve and more words alone on a line."""
    text, lower = reading.text, reading.lower
    if reading.is_foreign or (any(noun in lower for noun in _NOUNS) and any(stem in lower for stem in _STEMS)):
        yield from (code for cue in _CUE.finditer(lower) for code in _codes_behind(cue, text))
    if text.count("-", 0, 20_000) >= 6:
        yield from (Span(*found.span(), "recovery code") for found in _WITHOUT_CUE.finditer(text))
    if reading.is_foreign or any(
        word in lower for word in ("seed", "phrase", "mnemonic", "words", "bip", "frase", "wiederherst")
    ):
        for cue in _SEED_CUE.finditer(lower):
            lead = _SEED_LEAD.match(lower, cue.end())
            words = _SEED.match(lower, lead.end()) if lead else None
            if words and _is_a_seed(words["words"], named=True):
                yield Span(*words.span("words"), "seed phrase")
        for words in _NUMBERED_SEED.finditer(text):
            yield Span(*words.span(), "seed phrase")
    yield from _unnamed_seeds(text)


def _unnamed_seeds(text: str) -> Iterator[Span]:
    start = 0
    for line in text.split("\n"):
        if line.count(" ") >= _LENGTHS[0] - 1 and line.islower():
            found = _SEED_LINE.match(line)
            if found and _is_a_seed(found["words"], named=False):
                yield Span(start + found.start("words"), start + found.end("words"), "seed phrase")
        start += len(line) + 1


def _codes_behind(cue: re.Match[str], text: str) -> Iterator[Span]:
    lead = _LEAD.match(text, cue.end())
    place = lead.end() if lead else cue.end()
    for _ in range(_MOST_CODES):
        gap = _SEPARATOR.match(text, place)
        code = _CODE.match(text, gap.end() if gap else place)
        if not code or _DATE.fullmatch(code[0]):
            return
        yield Span(*code.span(), "recovery code")
        place = code.end()


def _is_a_seed(phrase: str, *, named: bool) -> bool:
    words = _LETTERS.findall(phrase)
    if any(word in _NEVER_IN_SEEDS for word in words):
        return False
    odd = sum(1 for word in words if _SENTENCE.fullmatch(word))
    return odd <= len(words) // 4 if named else len(words) in _LENGTHS and odd <= 1 and len(set(words)) > len(words) - 2
