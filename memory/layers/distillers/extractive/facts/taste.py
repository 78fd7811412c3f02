"""What somebody prefers, likes, dislikes, and what is a favourite."""

import re
from collections.abc import Iterator

from memory.layers.distillers.extractive.facts.found import Clause, Found
from memory.layers.distillers.extractive.facts.grammar import ADVERBS, AM, NOT
from memory.layers.distillers.extractive.facts.kinds import FAVOURITE
from memory.layers.distillers.extractive.facts.objects import is_pointing, phrase, phrases

_LIKES = re.compile(
    rf"i {ADVERBS}{NOT}?{ADVERBS}(?:love|like|enjoy|adore) (?P<object>.+)|(?:{AM}|i['’]ve been) {ADVERBS}(?P<not2>not"
    rf" )?{ADVERBS}(?:a (?:big |huge |great |massive )?fan of|fond of|keen on|passionate about"
    r"|crazy about|into) (?P<object2>.+)",
    re.IGNORECASE,
)
_DISLIKES = re.compile(
    rf"i {ADVERBS}{NOT}?{ADVERBS}(?:hate|dislike|despise|loathe|detest|can['’]?t stand|cannot stand) (?P<object>.+)",
    re.IGNORECASE,
)
_PREFERS = re.compile(
    rf"i {ADVERBS}{NOT}?{ADVERBS}prefer (?P<object>.+?)"
    r"(?: (?:over|to|instead of|rather than|above) (?P<over>(?!be\b|have\b|do\b|see\b)[^.,;!?()]{1,60}))?(?=[.;!?()]"
    r"|$)",
    re.IGNORECASE,
)
_FAVOURITE = re.compile(
    r"my (?:all[- ]time |absolute |personal )?(?:favou?rite|fave|fav) (?P<what>[a-z]{2,20}(?: [a-z]{2,20}){0,2}?)"
    r" (?:is|are|has to be|remains) (?P<not>not )?(?P<object>.+)",
    re.IGNORECASE,
)
_IS_FAVOURITE = re.compile(
    r"(?P<object>(?!(?:It|This|That|These|Those|She|He|They|One|Which|What|Here|There)\b)[A-Z][\w'’ -]{1,40}?) (?:is"
    r"|are) (?P<not>not )?(?:still )?my (?:all[- ]time |absolute )?favou?rite (?P<what>[a-z]{2,20}(?:"
    r" [a-z]{2,20})?)(?=[.,!;]|$)"
)
_ONE_FAVOURITE = re.compile(
    r"one of my (?:all[- ]time )?(?:favou?rite|fave|fav) [a-z]{2,20}(?: [a-z]{2,20})? is (?P<object>.+)", re.IGNORECASE
)
_NO_THING = re.compile(
    r"(?:the(?! (?-i:[A-Z]))|option|plan|version|choice|number|to (?:be|know|hear|see|say|think|admit|hope|believe"
    r"|imagine|thank|ask|point|add|note|call|break|keep|make sure|have|do)\b|being|seeing|hearing|knowing|having"
    r"|getting|doing|working|talking|chatting|spending|when|how|my (?:life|day|week|first|second|third|fourth|fifth"
    r"|last|new)|(?:day|week|month|year|chapter|page)s? [0-9]|[0-9]|one\b|two\b|three\b|a (?:week|month|year|day"
    r"|new)\b|all|every|everyone|any|some|more|less|better|best|most|calling|hanging)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\b(?:better|more|less|best) than\b|\b(?:better|best|more|less)$", re.IGNORECASE)
_NO_KIND = frozenset({
    "in", "of", "for", "to", "about", "at", "on", "with", "part", "thing", "things", "one", "ones", "bit", "moment",
    "moments", "aspect", "memory", "memories", "way", "time", "piece", "line", "scene", "quote", "idea",
})  # fmt: skip


def taste(clause: Clause) -> Iterator[Found]:
    """Likes and dislikes, preferences, favourites."""
    for predicate, pattern in (("likes", _LIKES), ("dislikes", _DISLIKES)):
        if found := pattern.match(clause.body):
            named = found.groupdict()
            rest = named["object"] or named["object2"]
            if not _NO_THING.match(rest):
                negated = bool(named["not"] or named.get("not2"))
                yield from (
                    Found(predicate, one, negated)
                    for one in phrases(rest)
                    if not _NO_THING.match(one) and not _COMPARED.search(one)
                )
    yield from _preference(clause)
    yield from _favourite(clause)


def _preference(clause: Clause) -> Iterator[Found]:
    found = _PREFERS.match(clause.body)
    if found is None:
        return
    rest, other = clause.body[found.start("object") :], found["over"]
    if other is None or re.match(r"(?:not|to)\b", rest, re.IGNORECASE):
        wanted = phrase(rest)
    else:
        better, worse = phrase(found["object"]), phrase(other)
        wanted = f"{better} over {worse}" if better and worse else None
    if wanted and not wanted.lower().startswith("the "):
        yield Found("prefers", wanted, bool(found["not"]))


def _favourite(clause: Clause) -> Iterator[Found]:
    if found := _ONE_FAVOURITE.match(clause.body):
        wanted = phrase(found["object"])
        if wanted and not _NO_THING.match(wanted):
            yield Found("likes", wanted)
        return
    for pattern in (_FAVOURITE, _IS_FAVOURITE):
        if found := pattern.match(clause.body):
            what, wanted = found["what"].lower().split(), phrase(found["object"])
            if wanted and not _NO_KIND & set(what) and not is_pointing(" ".join(what)) and not _NO_THING.match(wanted):
                yield Found(FAVOURITE + "_".join(what).replace("color", "colour"), wanted, bool(found["not"]))
            return
