"""How somebody stands at present: work, home, age, family, tools."""

import re
from collections.abc import Iterator

from memory.layers.distillers.extractive.facts.found import Clause, Found
from memory.layers.distillers.extractive.facts.grammar import ADVERBS, AM, ARE, HAVE, NAME, NOT, WE
from memory.layers.distillers.extractive.facts.numbers import whole_number
from memory.layers.distillers.extractive.facts.objects import phrase
from memory.layers.distillers.extractive.facts.occupations import occupation
from memory.layers.distillers.extractive.facts.places import named_place
from memory.layers.distillers.extractive.facts.words import is_name, is_tool, may_be_called

_LIVES = re.compile(
    rf"(?i:(?:{WE} {ADVERBS}{NOT}?{ADVERBS}(?:live|reside)|{ARE} {ADVERBS}(?P<not2>not |no longer )?{ADVERBS}(?:based"
    rf"|living)|{WE}\s?{HAVE}{ADVERBS}(?P<lived>lived|been living)) (?:over )?in) (?P<place>.{{2,80}})"
)
_MOVED = re.compile(
    rf"(?i:{WE}\s?{HAVE}{ADVERBS}(?:moved|relocated)(?: back| here| over)?(?: from {NAME})? to) (?P<place>.{{2,80}})"
)
_NOT_LASTING = re.compile(
    r"\b(?:when i was|as an? (?:kid|child|student|boy|girl|teenager)|moved (?:back|on|away|again)|temporarily|only"
    r"|until|this (?:week|month)|for (?:a|one|two|three|a few|the) (?:weeks?|months?|days?|summer|winter)|for now|back"
    r" then)\b",
    re.IGNORECASE,
)
_STILL = re.compile(r"\bsince\b|\b(?:all|my (?:whole|entire)|our) (?:my |our )?li(?:fe|ves)\b", re.IGNORECASE)
_WORKS = re.compile(
    rf"(?i:(?:i {ADVERBS}{NOT}?{ADVERBS}work|{AM} {ADVERBS}(?P<not2>not |no longer )?{ADVERBS}(?:working|employed)"
    rf"|i\s?{HAVE}{ADVERBS}started (?:working|a (?:new )?job)|i (?:just |recently )?got a (?:new )?job|i['’]ve been"
    rf" working)"
    r" (?:as an? [\w -]{2,40}? )?(?P<how>at|for|by|with)) (?P<where>.{2,80})"
)
_WORKPLACE = re.compile(
    rf"(?P<named>(?:(?i:the) )?{NAME})|(?P<kind>(?i:an?|the) (?:[a-z-]{{2,20}} ){{0,2}}(?i:hospital|bank|school"
    rf"|university|startup|start-up"
    r"|company|clinic|agency|restaurant|bakery|museum|library|nonprofit|non-profit|charity|law firm|firm|studio"
    r"|bookstore|bookshop|café|cafe|hotel|factory|lab|laboratory|government|ministry|consultancy|pharmacy|airline))\b"
)
_WORKS_IN = re.compile(
    rf"i {ADVERBS}{NOT}?{ADVERBS}work in (?P<field>(?:[a-z-]{{2,20}} )?(?:finance|healthcare|health care|education|tech"
    r"|technology|marketing|advertising|consulting|construction|logistics|retail|hospitality|insurance|banking"
    r"|publishing|biotech|robotics|sales|research|academia|journalism|law|real estate|fashion|film|music|(?-i:IT|HR)"
    r"|engineering|security|accounting|tourism|agriculture|energy|aviation|design|manufacturing|politics|government"
    r"|science))\b(?= ?(?:[.,;!?]|$|at|for|and))",
    re.IGNORECASE,
)
_ROLE = re.compile(
    rf"(?:{AM} {ADVERBS}(?P<not>not |no longer )?{ADVERBS}(?P<article>an?|the)|i {ADVERBS}(?P<not2>do not |don['’]t "
    rf"|no longer )?work as (?P<article2>an?|the)|{AM} (?:currently )?(?:working|employed) as (?P<article3>an?|the))"
    rf" (?P<role>.{{2,80}})",
    re.IGNORECASE,
)
_STUDIES = re.compile(
    rf"(?:{AM} {ADVERBS}(?P<not2>not |no longer )?{ADVERBS}(?:studying|majoring in|learning)|i {ADVERBS}{NOT}?study)"
    r" (?P<what>(?!to\b|for\b|how\b|a lot\b|hard\b|with\b|about\b|from\b|the\b|in\b|at\b|more\b|so\b|as\b|every"
    r"|new\b).{2,80})",
    re.IGNORECASE,
)
_AGE = re.compile(
    rf"(?:{AM} {ADVERBS}(?P<not>not )?(?P<age>[0-9]{{1,3}}|[a-z]{{3,9}}(?:[ -][a-z]{{3,5}})?)"
    r"(?P<years> ?(?:years? old|years? of age|yrs? old|yo|y/o))?"
    rf"|i\s?{HAVE}{ADVERBS}turned (?P<turned>[0-9]{{1,3}}|[a-z]{{3,9}}(?:[ -][a-z]{{3,5}})?))"
    r"(?: now)?(?=\s*(?:[.!;,]|$|and\b|but\b|today\b|yesterday\b|last\b|on\b|this\b))(?![.,][0-9])",
    re.IGNORECASE,
)
_MARRIED = re.compile(
    rf"{AM} {ADVERBS}(?P<not>not |no longer )?{ADVERBS}(?P<status>married|single|divorced|widowed|engaged)"
    r"(?= ?(?:[.,;!]|$|and\b|with\b (?:\w+ )?(?:kids?|child)|to (?-i:[A-Z])|now\b))",
    re.IGNORECASE,
)
_CHILDREN = re.compile(
    rf"(?:(?:i|we) {ADVERBS}have(?: got)?|(?:i|we)['’]ve got) (?P<many>[a-z]{{2,6}}|[0-9]{{1,2}}) (?:[a-z]{{3,10}} )?"
    r"(?:kids?|child|children|sons?|daughters?)(?= ?(?:[.,;!:(]|$|and\b|who\b|named\b|called\b|aged\b|under\b))",
    re.IGNORECASE,
)
_PET = re.compile(
    rf"(?i:(?:i|we) {ADVERBS}{NOT}?have(?: got)?|(?:i|we)['’]ve got|(?:i|we) own) (?P<pet>(?i:an?|one|two|three|four"
    rf"|five|[0-9])"
    r" (?:[\w-]{2,20} ){0,2}(?i:dogs?|cats?|pupp(?:y|ies)|kittens?|rabbits?|hamsters?|parrots?|horses?|guinea pigs?"
    r"|snakes?|tortoises?|turtles?|goldfish|canary|canaries|ferrets?|budgies?)(?:,? (?i:named|called)"
    r" [A-Z][\w'’-]{1,20}(?:(?:,| and|, and) [A-Z][\w'’-]{1,20}){0,3})?)(?= ?(?:[.,;!:(]|$|(?i:and|who|at home)\b))"
)
_USES = re.compile(
    rf"(?i:(?:{WE} {ADVERBS}{NOT}?{ADVERBS}use|{ARE} {ADVERBS}(?P<not2>not |no longer )?{ADVERBS}using"
    rf"|{WE}\s?{HAVE}{ADVERBS}(?:switched|migrated)(?: over)?(?: from [\w.+# -]{{1,40}}?)? to"
    rf"|{WE}\s?{HAVE}{ADVERBS}(?P<stopped>stopped using|quit using|gave up|ditched))) (?P<tool>.{{1,80}})"
)
_TOOL = re.compile(
    r"(?P<name>[\w.+#]{1,30}(?: [A-Z][\w.+#]{1,20}){0,2})(?P<version> (?:v|version"
    r" )?[0-9]{1,4}(?:\.[0-9]{1,4}){0,3})?(?!['’\w])"
)
_AND = re.compile(r"(?:,? and|,? or|,| &| with) (?=\S)")
_SENTENCE_WORDS = frozenset({
    "I", "My", "The", "A", "An", "It", "This", "That", "These", "Those", "Your", "His", "Her", "Our", "Their", "All",
    "Both", "Some", "Any",
})  # fmt: skip
_YOUNGEST, _OLDEST, _SURELY_AN_AGE = 1, 115, 13


def status(clause: Clause) -> Iterator[Found]:
    """Home, work, age, family, pets, tools."""
    yield from _home(clause)
    yield from _work(clause)
    yield from _self(clause)
    yield from _household(clause)
    yield from _tools(clause)


def _home(clause: Clause) -> Iterator[Found]:
    if _NOT_LASTING.search(clause.sentence):
        return
    if found := _LIVES.match(clause.body):
        place = named_place(found["place"])
        if place and (not found["lived"] or _STILL.search(clause.text)):
            yield Found("lives_in", place, bool(found["not"] or found["not2"]))
    elif (found := _MOVED.match(clause.body)) and (place := named_place(found["place"], only_known=True)):
        yield Found("lives_in", place)


def _work(clause: Clause) -> Iterator[Found]:
    if found := _WORKS.match(clause.body):
        where = _WORKPLACE.match(found["where"])
        by_name = found["how"] in ("by", "with")
        if where and not (by_name and not where["named"]):
            name = (where["named"] or where["kind"]).rstrip(".'’")
            if where["kind"] or (is_name(name.split()[-1]) and not (found["how"] == "with" and is_tool(name))):
                yield Found("works_at", name, bool(found["not"] or found["not2"]))
    elif found := _WORKS_IN.match(clause.body):
        yield Found("works_in", found["field"], bool(found["not"]))
    if found := _ROLE.match(clause.body):
        explicit = not found["article"]
        if role := occupation(found["role"], any_work=explicit):
            yield Found("role", role, bool(found["not"] or found["not2"]))
    if (found := _STUDIES.match(clause.body)) and (subject := phrase(found["what"])):
        yield Found("studies", subject, bool(found["not"] or found["not2"]))


def _self(clause: Clause) -> Iterator[Found]:
    if found := _AGE.match(clause.body):
        age = whole_number(found["age"] or found["turned"])
        sure = found["years"] or found["turned"] or (age or 0) >= _SURELY_AN_AGE
        if age and _YOUNGEST <= age <= _OLDEST and sure:
            yield Found("age", age, bool(found["not"]))
    if found := _MARRIED.match(clause.body):
        yield Found("marital_status", found["status"].lower(), bool(found["not"]))


def _household(clause: Clause) -> Iterator[Found]:
    if found := _CHILDREN.match(clause.body):
        many = whole_number(found["many"])
        if many is not None:
            yield Found("has_children", many)
    if found := _PET.match(clause.body):
        yield Found("has_pet", found["pet"], bool(found["not"]))


def _tools(clause: Clause) -> Iterator[Found]:
    found = _USES.match(clause.body)
    if found is None:
        return
    denied = bool(found["not"] or found["not2"] or found["stopped"])
    rest = found["tool"]
    while (tool := _TOOL.match(rest)) and _is_used(tool["name"].rstrip("."), known_only=bool(found["stopped"])):
        yield Found("uses", tool["name"].rstrip(".") + (tool["version"] or ""), denied)
        link = _AND.match(rest, tool.end())
        if link is None:
            return
        rest = rest[link.end() :]


def _is_used(name: str, *, known_only: bool) -> bool:
    if is_tool(name) or is_tool(name.split()[0]):
        return True
    return not known_only and name[:1].isupper() and name.split()[0] not in _SENTENCE_WORDS and may_be_called(name)
