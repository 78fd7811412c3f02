"""What is said of things: dates they are due, readings of devices, prices."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from memory.layers.distillers.extractive.facts.choices import GRACE
from memory.layers.distillers.extractive.facts.found import Clause, Found
from memory.layers.distillers.extractive.facts.objects import is_pointing

_DUE = re.compile(
    r"(?P<whose>the|our|my) (?P<what>[\w'’ -]{2,50}?) (?:is|are|has been) (?:now )?(?P<how>due|scheduled|planned"
    r"|set)(?: for| on| by)? |(?:the )?deadline (?:for|of) (?P<whose2>the|our|my) (?P<what2>[\w'’ -]{2,50}?) is ",
    re.IGNORECASE,
)
_DEVICE = (
    r"thermostat|thermometer|sensor|meter|gauge|barometer|hygrometer|battery|humidity|temperature|pressure|fridge"
    r"|freezer|boiler|cpu|cpu usage|cpu load|memory usage|ram usage|disk|disk usage|load|tank|oven|co2|co2 level|air"
    r" quality|voltage|current|water level|fuel level|wind speed|noise level|radiator|heater|router|server room|tyre"
    r" pressure"
)
_READING = re.compile(
    rf"(?:the |our )?(?P<what>(?:[a-z0-9'’-]{{2,20}} ){{0,3}}(?:{_DEVICE})(?: (?:in|of|on|at) (?:the |our"
    rf" )?[a-z0-9'’ -]{{2,30}}?)?)"
    r" ?(?:reads|is reading|shows|is showing|is at|is now at|is now|stands at|measures|reports|registered|at|is|:)"
    r" (?P<value>[-+−]?[0-9]{1,6}(?:[.,][0-9]{1,4})? ?(?:°\s?[CF]?|degrees(?: celsius| fahrenheit)?|%|percent|ppm|ppb"
    r"|hpa|mbar|bar|psi|kpa|volts?|v|amps?|a|watts?|w|kwh|kw|db|lux|rpm|k?m/s|km/h|mph|litres|liters|[cf])(?![\w/]))",
    re.IGNORECASE,
)
_AMOUNT = (
    r"(?:(?:[$€£¥]|US\$|CHF |USD |EUR |GBP )[0-9][0-9,.]{0,14}(?<![,.])(?: ?(?:k|m|bn|thousand|million|billion))?"
    r"|[0-9][0-9,.]{0,14}(?<![,.]) ?(?:dollars|euros|pounds|yen|francs|cents|USD|EUR|GBP|CHF|[$€£]))(?![\w%])"
)
_PRICE = re.compile(
    rf"(?:the (?:current )?price (?:of|for) (?P<priced>[\w'’ .+-]{{2,50}}?) (?:is|is now|is at|stands at)"
    rf"|(?P<sold>[\w'’.+-]{{1,30}}(?: [\w'’.+-]{{1,30}}){{0,5}}?) (?:costs?|(?:is|are) (?:now |currently )?(?:priced"
    rf" at|trading at|selling for|going for|at)|sells for|sell for|trades at)) (?:about |around )?(?P<amount>{_AMOUNT})"
    r"(?P<per> (?:per|a|an|each|/) ?[a-z]{1,12})?(?= ?(?:[.,;!]|$|(?:now|today|at|on|and|right|in|plus|including"
    r"|for)\b))",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an|our|one) ", re.IGNORECASE)
_NO_THING = re.compile(
    r"\b(?:[0-9]{1,5} \w+s|each|total|limit|threshold|maximum|minimum|max|min|target|setpoint|average|sum|answer"
    r"|result|half|ideal|recommended|normal|default|budget|my|his|her|their|body|blood|plus|minus|times|equals|not"
    r"|never|which|and|or|of (?:them|these|those)|at|lunch|was|were|will|can|is|shares?)\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"[0-9]")
_SUM = re.compile(r"[0-9]\s?[+*×/÷=]\s?[0-9]|\beach\b", re.IGNORECASE)


def things(clause: Clause) -> Iterator[Found]:
    """Due dates, readings and prices; nothing of arithmetic, limits or somebody's body."""
    yield from _due(clause)
    if not _DIGIT.search(clause.body) or _SUM.search(clause.text):
        return
    if found := _READING.match(clause.body):
        what = _ARTICLE.sub("", found["what"].strip(), count=1)
        if not _NO_THING.search(what):
            yield Found("reads", " ".join(found["value"].split()), subject=what)
    if found := _PRICE.match(clause.body):
        what = _ARTICLE.sub("", (found["priced"] or found["sold"]).strip(), count=1)
        costs = re.search(r"(?i)\bcost ", found[0]) is None or what.endswith("s")
        if costs and not _NO_THING.search(what) and not is_pointing(what) and not what[:1].isdecimal():
            yield Found("price", found["amount"] + (found["per"] or ""), subject=what)


def _due(clause: Clause) -> Iterator[Found]:
    found = _DUE.match(clause.body)
    if found is None:
        return
    what, whose = found["what"] or found["what2"], (found["whose"] or found["whose2"]).lower()
    times = [time for time in clause.times() if time.ends > clause.at and time.words in clause.body[found.end() :]]
    if len(times) != 1 or is_pointing(what):
        return
    subject = f"{clause.speaker}'s {what}" if whose == "my" else what
    if (found["how"] or "due").lower() == "due":
        day = times[0].ends - timedelta(microseconds=1)
        yield Found("due", _date(day, clause.at), subject=subject, until=times[0].ends + GRACE)
    elif times[0].grain in ("day", "instant"):
        yield Found("scheduled_for", _date(times[0].begins, clause.at), subject=subject, until=times[0].ends + GRACE)


def _date(instant: datetime, said_at: datetime) -> str:
    return instant.astimezone(said_at.tzinfo).date().isoformat()
