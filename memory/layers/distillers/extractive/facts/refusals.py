"""What makes a text no evidence of anything: play, hypotheses, jokes, tasks about somebody else's words."""

import re

from memory.layers.distillers.extractive.facts.found import Clause

_NO_EVIDENCE = re.compile(
    r"\b(?:let['’]?s (?:say|pretend|imagine|assume|suppose)|pretend|role[- ]?play(?:ing)?|imagine|hypothetical(?:ly)?"
    r"|suppose|supposing|assume|assuming|act as|you are an?|you['’]re an? \w{1,20} (?:assistant|expert|bot)|in"
    r" character|for example|for instance|e\.g\.|such as in|my character|in (?:the|this|my|a) (?:story|game|novel|book"
    r"|script|dream|movie|film|play|scene)|dreamt|dreamed|fictional|once upon a time|jk|just kidding|kidding|joking|as"
    r" a joke|april fools['’]?|sarcas(?:m|tic|tically)|lol|lmao|rofl|lyrics|translat(?:e|ion)|rewrite|rephrase"
    r"|paraphrase|proofread|summari[sz]e|correct (?:this|the) (?:sentence|text)|grammar|(?:this|the|following|example"
    r"|sample) (?:sentence|text|dialogue|quote|paragraph|prompt|persona)|persona|word problem|as follows|write (?:me"
    r" )?(?:an?|the) (?:\w{1,20} ){0,3}(?:story|poem|essay|letter|email|e-mail|script|song|bio|speech|review|tweet"
    r"|post|dialogue|monologue|scene)|dear (?:sir|madam|hiring|mr|mrs|ms|dr|[A-Z][a-z]{1,20},))\b|/s\b|/j\b|(?<!\w)x"
    r" ?= ?[0-9]",
    re.IGNORECASE,
)
# What follows was written by somebody, or is a conversation pasted in: "Her mail says:", "Bela: yes, I do".
_PASTED = re.compile(
    r"\b(?:said|says|wrote|writes|reads|e-?mail|message|letter|text|quote|transcript|post|bio|chat|log)\b"
    r"[^\n:]{0,80}:[ \t]{0,4}\n"
    r"|^(?!(?:update|note|remember|decision|ps|p\.s\.|edit|btw|fyi|tbh|intro|context|background|hi|hello|hey|ok|well|so|yes"
    r"|no)\b)[a-z][\w.]{1,20}: (?![-+−]?[0-9])",
    re.IGNORECASE | re.MULTILINE,
)
_NO_STATEMENT = re.compile(
    r"\b(?:if|unless|whether|wish|wishes|wished|pretending|what if|as though|in case|otherwise|(?:said|says|saying"
    r"|wrote|writes|asked|asks|sang|sings|goes|quote|quoted|told (?:me|us|him|her|them))(?=\s?[,:]))\b|, (?:right"
    r"|correct|no|isn['’]t it)\?",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:would|could|couldn['’]t|wouldn['’]t|might|maybe|perhaps|possibly|probably|(?-i:may)(?! [0-9])|used to|not"
    r" sure|unsure|apparently|supposedly|should|shouldn['’]t|guess|almost|nearly|sort of|kind of|kinda|sorta|hopefully"
    r"|ought|seem|seems|tempted|thinking of|thinking about|considering|haha|hehe)\b|\bi['’]d\b|\bwe['’]d\b",
    re.IGNORECASE,
)
_SUM = re.compile(r"\bhow (?:much|many)\b|\baltogether\b|\bin total\b", re.IGNORECASE)


def is_no_evidence(text: str) -> bool:
    """Whether a line is play, a hypothesis, a joke, a task about a text, or somebody else's words, in all of it."""
    return _NO_EVIDENCE.search(text) is not None or _PASTED.search(text) is not None


def is_left_open(clause: Clause) -> bool:
    """Whether a clause is not stated as so.

    It leaves that open itself ("might", "used to", "I'd"), or its sentence holds on a condition, is a wish, or passes
    on what somebody said.
    """
    return _UNSURE.search(clause.text) is not None or _NO_STATEMENT.search(clause.sentence) is not None


def is_sum(text: str) -> bool:
    """Whether a line asks to reckon with its amounts, so that they are no prices."""
    return _SUM.search(text) is not None
