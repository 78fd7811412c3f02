"""What somebody's body needs or suffers from: allergies, conditions, diet."""

import re
from collections.abc import Iterator

from memory.layers.distillers.extractive.facts.found import Clause, Found
from memory.layers.distillers.extractive.facts.grammar import ADVERBS, AM
from memory.layers.distillers.extractive.facts.objects import phrase

_ALLERGIC = re.compile(
    rf"(?:{AM} {ADVERBS}(?P<not>not |no longer )?(?:(?:severely|deathly|highly|slightly|mildly) )?allergic to"
    rf" (?P<object>.+)"
    r"|i have an? (?:(?:severe|bad|mild|serious) )?(?P<object2>[a-z]{3,20}) allergy\b)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    rf"(?:i (?:have|suffer from|['’]ve got)|i['’]ve got|{AM} living with|i(?: was|['’]ve been)(?: (?:just|recently))?"
    r" diagnosed with) (?:(?:chronic|mild|severe|type [12]|bad|high) ){0,2}?(?P<object>(?:(?:chronic|type [12]|high)"
    r" )?(?:asthma|diabetes|adhd|autism|epilepsy|migraines?|arthritis|hypertension|high blood pressure|celiac disease"
    r"|coeliac disease|crohn['’]s|ibs|anxiety|depression|ptsd|ocd|dyslexia|insomnia|sleep apnea|tinnitus|eczema"
    r"|psoriasis|anemia|anaemia|hypothyroidism|gastritis|lupus|ms|multiple sclerosis|cancer|hay fever|lactose"
    r" intolerance|scoliosis))\b(?= ?(?:[.,;!(]|$|(?:and|since|last|in|when|for|as)\b))",
    re.IGNORECASE,
)
_DIET = re.compile(
    rf"(?:{AM}|i['’]ve (?:been|become|gone)|i went|i eat) {ADVERBS}(?P<not>not )?(?:an? )?(?:(?:strict|lifelong) )?"
    r"(?P<diet>vegan|vegetarian|pescatarian|gluten[- ]free|dairy[- ]free|lactose[- ]intolerant|kosher|halal|keto)(?="
    r" ?(?:[.,;!]|$|(?:and|since|now|for|so|but)\b))",
    re.IGNORECASE,
)


def health(clause: Clause) -> Iterator[Found]:
    """Allergies, conditions, diet."""
    if found := _ALLERGIC.match(clause.body):
        to = phrase(found["object"] or found["object2"])
        if to and not to.lower().startswith(("mondays", "work", "the ", "my ")):
            yield Found("allergic_to", to, bool(found["not"]))
    if found := _CONDITION.match(clause.body):
        yield Found("has_condition", found["object"].lower())
    if found := _DIET.match(clause.body):
        yield Found("diet", found["diet"].lower().replace("-", " "), bool(found["not"]))
