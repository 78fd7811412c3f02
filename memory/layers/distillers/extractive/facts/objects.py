"""The objects of statements: where they end, when a comma goes on with a list, and which say nothing by themselves."""

import re

_MOST_WORDS = 12
_HARD_STOP = re.compile(
    r"[.!?;:()\[\]{}\"“”*`|<>…\ufffc\n]+(?!\w)|[()\[\]{}\"“”*`|<>\ufffc\n;]|\s[-–—]{1,3}\s|—"
    r"|[\U0001f000-\U0001ffff\u2600-\u27bf]|\s(?:but|because|since|which|who|when|whenever|while|where|so|although"
    r"|though|as|until|unless|cause|plus|instead|except|not|whereas|yet|especially|particularly|including|if|lol|haha"
    r"|given|thanks to|due to)\b",
    re.IGNORECASE,
)
_NARROWING = re.compile(r"\s(?:who|which|when|whenever|where|if|unless|except)\b", re.IGNORECASE)
_BETWEEN = re.compile(r"(,? and | & |, )", re.IGNORECASE)
_TAIL = re.compile(
    r"[\s,]{0,3}\b(?:a lot|so much|very much|too|these days|at the moment|right now|now|lately|recently|as well|though"
    r"|anyway|for now|the most|most|more than anything|myself|a ton|a bit|any day|again|today|yesterday|already"
    r"|instead|after all|btw|by the way|personally|actually|honestly|always|of course|for sure|though|also|either|any"
    r" ?more|any longer|at all)$",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:this|that|it|its|itself|them|they|their|theirs|here|there|these|those|him|her|his|hers|he|she|such|ones?"
    r"|stuff|things?|something|someone|anything|everything|nothing|both|same|mine|way|part|idea|other|others|another"
    r"|each other|else|whatever|what|how|why|where|when|who|if|whether|we|i|let['’]s|it['’]s|that['’]s)\b",
    re.IGNORECASE,
)
_LISTENER = re.compile(r"\b(?:you|your|yours|yourself|u)\b", re.IGNORECASE)
_GOES_ON_AS_A_CLAUSE = re.compile(
    r"(?:i|we|you|he|she|it|they|this|that|there|my|your|am|is|are|was|were|be|have|has|had|do|does|did|can|can['’]t"
    r"|will|want|try|go|need|think|hope|feel|often|always|never|usually|also|even|just|then|now|to|not|yes|please"
    r"|thanks|thank|maybe|don['’]t|especially|really|how|what|when|where|why|who|with|for|from|in|on|at|of|if|let|see"
    r"|get|got|man|dude|you['’]\w+|i['’]\w+|it['’]\w+|we['’]\w+|they['’]\w+|that['’]\w+|make|makes|keep|use|like|love"
    r"|hate|still)\b",
    re.IGNORECASE,
)
_GERUND = re.compile(r"[a-z]{2,20}ing\b|(?:[a-z]{2,20} ){1,2}[a-z]{2,20}ing$", re.IGNORECASE)
_MOST_WORDS_OF_A_PART = 4
_SHORT = 2


def phrase(rest: str, *, to_listener: bool = False) -> str | None:
    """Return the object that a text begins with, lists kept together, or None when it says nothing by itself.

    "you" points away too, unless `to_listener`. It ends at punctuation, a dash or a conjunction; a point or comma
    inside a number or name does not. What a relative clause or a condition narrows ("people who …") is None.
    """
    if _is_narrowed(rest):
        return None
    parts = _parts(rest)
    return _said(" ".join("".join(parts).split()), to_listener=to_listener)


def phrases(rest: str) -> list[str]:
    """Return the objects that a text begins with: each item of a plain list, else the one of `phrase`."""
    if _is_narrowed(rest):
        return []
    parts = _parts(rest)
    items, links = parts[::2], parts[1::2]
    if len(items) > 1 and "and" in links[-1].lower() and _are_items(items):
        return [said for item in items if (said := _said(item))]
    one = phrase(rest)
    return [one] if one else []


def is_pointing(words: str) -> bool:
    """Whether words point at something outside them ("that", "your", "it"), and so say nothing by themselves."""
    return _POINTING.search(words) is not None or _LISTENER.search(words) is not None


def _is_narrowed(rest: str) -> bool:
    stop = _HARD_STOP.search(rest)
    return stop is not None and _NARROWING.match(stop[0]) is not None and rest[stop.start() - 1 : stop.start()] != ","


def _are_items(items: list[str]) -> bool:
    """Whether a list names things side by side; "short, clear and friendly answers" does not."""
    gerunds = [_GERUND.match(item) is not None for item in items]
    names = [item[:1].isupper() for item in items]
    return all(gerunds) or all(names)


def _parts(rest: str) -> list[str]:
    """Items and the links between them, as far as the text goes on with a list."""
    stop = _HARD_STOP.search(rest)
    parts = _BETWEEN.split(rest[: stop.start()] if stop else rest)
    first = parts[0]
    kept = [first]
    for link, item in zip(parts[1::2], parts[2::2], strict=True):
        if not item.strip() or not _belongs(first, link, item):
            break
        kept += [link, item]
    broken_off = len(kept) < len(parts) or len(kept) > 3
    if len(kept) > 1 and broken_off and "," in kept[-2] and "and" not in kept[-2]:
        return [first]
    return kept


def _belongs(first: str, link: str, item: str) -> bool:
    words = item.split()
    if len(words) > _MOST_WORDS_OF_A_PART or _GOES_ON_AS_A_CLAUSE.match(item.strip()):
        return _GERUND.match(first) is not None and _GERUND.match(item) is not None and "and" in link
    if link == ", ":
        # "clear, short answers", or a list that an "and" will end; a lone name is somebody spoken to.
        return not (len(words) == 1 and item[:1].isupper() and not first[:1].isupper())
    if _GERUND.match(first) is None:
        return _GERUND.match(item) is None
    return _GERUND.match(item) is not None or (len(words) <= _SHORT and not is_pointing(item))


def _said(words: str, *, to_listener: bool = False) -> str | None:
    words = words.strip(" ,.'’-")
    while (shorter := _TAIL.sub("", words).strip(" ,.'’-")) != words:
        words = shorter
    if not words or len(words.split()) > _MOST_WORDS or not any(char.isalpha() for char in words):
        return None
    points = _POINTING.search(words) is not None if to_listener else is_pointing(words)
    return None if points else words
