"""What kind of utterance a fragment is, by the phrases that announce it, in English and a few other languages."""

import re
from collections.abc import Iterable, Sequence

from memory.layers.distillers.extractive.lexicon import lower_entries
from memory.layers.distillers.extractive.words import is_question

_DECISION = re.compile(
    r"""
      \b(?:i|we|they)(?:'ve|\ have|'d)?\ (?:finally\ |just\ |now\ |already\ |all\ |both\ )?
        (?:decided|settled\ on|agreed\ (?:on|to|that)|opted|chose|picked(?!\ up)|concluded|made\ up\ (?:my|our)\ mind)
    | \b(?:the|our|my|final)\ decision(?:\ is|\ was|:) | \Adecision: | \bit(?:'s|\ is)\ (?:decided|settled)\b
    | \b(?:let's|we'll|i'll)\ go\ with\b | \b(?:i'm|we're|i\ am|we\ are)\ going\ with\ (?!my|him|her|them|you)
    | \b(?:habe|haben|hab|hat)\ (?:mich|uns|sich)\b.{0,80}\bent(?:schieden|schlossen)\b | \bbeschlossen\b
    | \b(?:he|hemos|han)\ decidido\b | \bdecidimos\b | \bdecidí\b
    | \b(?:j'ai|nous\ avons|on\ a)\ décidé\b | \babbiamo\ deciso\b | \bho\ deciso\b
    | に決め(?:た|まし) | 決定(?:した|しまし|し、) | 决定 | 決定了 | 결정했
    """,
    re.VERBOSE,
)
_PREFERENCE = re.compile(
    r"""
      \bi(?:'d|\ would)?\ (?:really\ |always\ |still\ |much\ |absolutely\ |also\ |do\ |just\ )?
        (?:prefer|love|like|enjoy|adore|hate|dislike|can't\ stand)\b
    | \b(?:i\ don't|i\ do\ not)\ (?:really\ )?(?:like|enjoy)\b | \bmy\ (?:all-time\ )?(?:favou?rite|fave)\b
    | \bi'm\ (?:really\ |a\ (?:big|huge)\ )?(?:into|fond\ of|fan\ of)\b
    | \b(?:ich\ mag|ich\ bevorzuge|meine?\ lieblings\w{1,20}\ (?:ist|sind)|am\ liebsten)
    | \b(?:prefiero|me\ gusta|me\ gustan|me\ encanta|odio)\b | \b(?:je\ préfère|j'aime|je\ déteste)\b
    | が(?:大)?好き | が嫌い | 喜欢 | 喜歡
    """,
    re.VERBOSE,
)
_COMMITMENT = re.compile(
    r"""
      \b(?:i|we)\ promise(?:d)?\ (?:to|that|you)\b
    | \b(?:i|we)'ll\ (?:definitely\ |surely\ )?(?:send|call|bring|write|finish|book|pay|fix|remind|email|prepare|review)
      \ (?!back\b|down\b)
    | \bich\ verspreche\b | \bte\ prometo\b | \bprometo\ que\b | \bje\ (?:te\ |vous\ )?promets\b | 約束します
    """,
    re.VERBOSE,
)
_PLAN = re.compile(
    r"""
      \b(?:i|we)(?:'m|'re|\ am|\ are)?\ (?:also\ |really\ |still\ |hoping\ and\ )?
        (?:plan(?:ning)?\ (?:to|on)|hop(?:e|ing)\ to|going\ to|gonna|intend(?:ing)?\ to|looking\ to|aim(?:ing)?\ to)\b
    | \b(?:my|our|the)\ plan\ (?:is|for)\b | \bnext\ steps?(?:\ is|\ are|:) | \btodo\b | \Aplan:
    | \b(?:ich|wir)\ (?:will|wollen|werde|werden|plane|planen)\b | \b(?:voy|vamos)\ a\b | \b(?:je\ vais|nous\ allons)\b
    """,
    re.VERBOSE,
)
_KIND_OF_FACT = {
    "decided": "decision",
    "decided_against": "decision",
    "will": "commitment",
    "prefers": "preference",
    "likes": "preference",
    "dislikes": "preference",
}
_KINDS = (
    ("decision", _DECISION, lower_entries("decision_hints")),
    ("commitment", _COMMITMENT, lower_entries("commitment_hints")),
    ("preference", _PREFERENCE, lower_entries("preference_hints")),
    ("plan", _PLAN, lower_entries("plan_hints")),
)


def kind_of(text: str, words: Sequence[str]) -> str:
    """Return "question", "decision", "commitment", "preference", "plan" or "statement".

    `words` are those of the text, in small letters: most texts hold none that could announce a kind.
    """
    if is_question(text):
        return "question"
    plain = text.lower().replace("’", "'")
    foreign = not text.isascii()
    for kind, announced, hints in _KINDS:
        if (foreign or not hints.isdisjoint(words)) and announced.search(plain):
            return kind
    return "statement"


def kind_by_facts(predicates: Iterable[str]) -> str | None:
    """Return the kind that facts read from a fragment give it, the weightiest first, or None."""
    kinds = {_KIND_OF_FACT.get(predicate) for predicate in predicates}
    return next((kind for kind in ("decision", "commitment", "preference") if kind in kinds), None)
