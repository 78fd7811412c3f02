"""Who somebody is: name, origin, birth, kin, languages."""

import re
from collections.abc import Iterator

from memory.layers.distillers.extractive.facts.found import Clause, Found
from memory.layers.distillers.extractive.facts.grammar import ADVERBS, AM, END, NOT, PERSON
from memory.layers.distillers.extractive.facts.places import named_place
from memory.layers.distillers.extractive.facts.words import is_name
from memory.layers.rules.spoken import mentioned_periods
from memory.layers.rules.spoken.vocabulary import MONTHS

_RELATIONS = (
    "wife|husband|girlfriend|boyfriend|fianc[ée]e?|partner|spouse|mother|mom|mum|father|dad|sister|brother|daughter|son"
    "|cousin|aunt|uncle|niece|nephew|grandma|grandmother|grandpa|grandfather|stepmother|stepfather|stepson|stepdaughter"
    "|(?:mother|father|sister|brother|son|daughter)-in-law|friend|best friend|roommate|flatmate|boss|manager|colleague"
    "|coworker|co-worker|mentor|neighbou?r|therapist|coach"
)
_KIN = re.compile(
    rf"(?i:\bmy (?:(?:older|younger|little|big|elder|baby|twin|late|dear|old|good|close)"
    rf" ){{0,2}}(?P<relation>{_RELATIONS}))(?:(?i:['’]s name is| is (?:called|named)|,? (?:named|called))"
    rf" (?P<told>{PERSON})\b| (?P<beside>{PERSON})\b|, (?P<between>{PERSON}),(?! (?:you|how|what|can|could|do|did|are"
    rf"|is it)\b))"
)
_NAME = re.compile(rf"(?i:my (?:full |first )?name(?:['’]s| is)) (?P<name>{PERSON})\b(?! (?:and (?:his|her)))")
_GOES_BY = re.compile(
    rf"(?i:(?:(?:people|friends|everyone|everybody|you can|please|just) )?call me) (?P<name>{PERSON}){END}"
)
_I_AM = re.compile(
    rf"(?i:{AM}) (?P<name>{PERSON})(?:,? (?i:(?P<role>an?|the) (?P<what>[a-z][\w-]{{1,20}}))|(?=\s*(?:[.,!;]|$|and\b)))"
)
_FROM = re.compile(
    rf"(?i:(?:{AM} {ADVERBS}(?P<not>not )?(?:originally |actually )?from|i (?:originally )?come from))"
    rf" (?P<place>.{{2,60}})"
)
_BORN = re.compile(
    rf"(?i:(?:i was|{AM}) born(?: and raised| and bred)? (?:in|on|at)) (?P<rest>.{{1,60}})",
)
_BIRTHDAY = re.compile(
    r"my (?:birthday|date of birth|birth date|dob)(?:['’]s| is| falls)?(?: on)?:? (?P<rest>.{1,40})", re.IGNORECASE
)
_SPEAKS = re.compile(
    rf"i {ADVERBS}{NOT}?{ADVERBS}speak (?:fluent |a little |some |native |basic |good )?(?P<rest>.{{1,80}})|{AM}"
    rf" (?P<not2>not )?{ADVERBS}(?:fluent|a native speaker|native) (?:in|of) (?P<rest2>.{{1,80}})",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"\b(?:Afrikaans|Albanian|Arabic|Armenian|Basque|Bengali|Bulgarian|Cantonese|Catalan|Chinese|Croatian|Czech|Danish"
    r"|Dutch|English|Esperanto|Estonian|Farsi|Finnish|French|Galician|Georgian|German|Greek|Gujarati|Hebrew|Hindi"
    r"|Hungarian|Icelandic|Indonesian|Irish|Italian|Japanese|Korean|Latvian|Lithuanian|Malay|Mandarin|Marathi|Nepali"
    r"|Norwegian|Persian|Polish|Portuguese|Punjabi|Romanian|Russian|Serbian|Slovak|Slovene|Slovenian|Spanish|Swahili"
    r"|Swedish|Tagalog|Tamil|Telugu|Thai|Turkish|Ukrainian|Urdu|Vietnamese|Welsh|Yoruba|Zulu)\b"
)
_ONLY_LANGUAGES = re.compile(
    rf"(?:{_LANGUAGE.pattern}|and|or|both|a little|a bit of|some|[ ,])+?(?=[.;!?]|$|\b(?:but|at|with|so|as)\b)"
)
_MONTH_NAMES = tuple(name.title() for name in MONTHS if len(name) > 4 or name in ("june", "july", "may"))


def identity(clause: Clause) -> Iterator[Found]:
    """Names, origin and birth, languages."""
    yield from _names(clause)
    if (found := _FROM.match(clause.body)) and (place := named_place(found["place"])):
        yield Found("from", place, bool(found["not"]))
    yield from _birth(clause)
    if found := _SPEAKS.match(clause.body):
        rest = found["rest"] or found["rest2"]
        if spoken := _ONLY_LANGUAGES.match(rest):
            negated = bool(found["not"] or found["not2"])
            yield from (Found("speaks", one, negated) for one in _LANGUAGE.findall(spoken[0]))


def kin(clause: Clause) -> Iterator[Found]:
    """The people whom somebody calls theirs, by name, wherever they come up in the clause."""
    for found in _KIN.finditer(clause.text):
        name = found["told"] or found["beside"] or found["between"]
        relation = found["relation"].lower()
        lone_friend = found["between"] and relation == "friend"
        if is_name(name) and name != clause.speaker and not lone_friend:
            yield Found("has_relation", {"relation": relation, "name": name.removesuffix("'s").removesuffix("’s")})


def _names(clause: Clause) -> Iterator[Found]:
    if found := _NAME.match(clause.body):
        if is_name(found["name"]):
            yield Found("name", found["name"])
    elif found := _GOES_BY.match(clause.body):
        if is_name(found["name"]):
            yield Found("goes_by", found["name"])
    elif (found := _I_AM.match(clause.body)) and is_name(found["name"]) and (found["role"] or clause.greeted):
        yield Found("name", found["name"])


def _birth(clause: Clause) -> Iterator[Found]:
    if found := _BIRTHDAY.match(clause.body):
        if day := _date_of_birth(found["rest"]):
            yield Found("birthday", day)
    elif (found := _BORN.match(clause.body)) and found["rest"]:
        periods = mentioned_periods("in " + found["rest"])
        if day := _date_of_birth(found["rest"]):
            yield Found("birthday", day)
        elif periods and periods[0].year and found["rest"].strip().startswith(str(periods[0].year)):
            yield Found("birth_year", periods[0].year)
        elif place := named_place(found["rest"]):
            yield Found("birthplace", place)


def _date_of_birth(words: str) -> str | None:
    """A date as `1990-05-03`, or `3 May` when no year was told."""
    periods = mentioned_periods(words)
    if not periods or not periods[0].day or not periods[0].month:
        return None
    year, month, day = periods[0].year, periods[0].month, periods[0].day
    return f"{year:04}-{month:02}-{day:02}" if year else f"{day} {_MONTH_NAMES[month - 1]}"
