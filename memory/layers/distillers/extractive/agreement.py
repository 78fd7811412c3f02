"""A proposal and the short answer to it: "Shall I …?" and "Yes, do it". Neither alone says what was decided."""

import re

from memory.layers.distillers.extractive.words import is_question, sentences, shortened

_PROPOSAL = re.compile(
    r"""
      \b(?:shall|should)\ (?:i|we)\b | \b(?:may|can|could)\ (?:i|we)\ (?!get|have|ask|see|borrow|know|help|join|hear)
    | \b(?:do\ you\ )?want\ (?:me|us)\ to\b
    | \bwould\ you\ like\ (?:me|us)\ to\b | \bdo\ you\ want\ to\b | \b(?:how|what)\ about\ we\b | \bwhy\ don't\ we\b
    | \blet's\b | \b(?:ok|okay|fine|alright|all\ right)\ (?:to|if\ (?:i|we))\b | \bready\ (?:for\ me\ )?to\b
    | \b(?:soll|sollen|darf|dürfen|wollen)\ (?:ich|wir)\b | \b(?:quieres|quiere)\ que\b | \bdebería(?:mos)?\b
    | \b(?:veux-tu|voulez-vous)\ que\b | \bdois-je\b | ましょうか | てもいいですか | しますか | 要不要 | 可以吗 | 好吗
    """,
    re.VERBOSE,
)
_ANSWER = re.compile(
    r"""
    \A\W{0,4}(?:
      (?:yes|yeah|yep|yup|sure|ok|okay|absolutely|definitely|agreed|perfect|please\ do|go\ ahead|do\ it|do\ that
        |go\ for\ it
        |sounds\ (?:good|great|perfect)|looks\ good|let's\ do|of\ course|make\ it\ so|lgtm|approved
        |no|nope|nah|don't|do\ not|please\ don't|not\ now|not\ yet
        |ja|genau|mach|machen\ wir|gerne|nein|bitte|sí|si|claro|vale|dale|hazlo|oui|d'accord|vas-y|non)\b
      | はい | いいえ | お願い | 好的 | 好 | 可以 | 是 | 不 | 네
      | [👍✅👌🙏]
    )
    """,
    re.VERBOSE,
)
_LONGEST_ANSWER = 80
_LONGEST_PROPOSAL = 600


def is_answer(text: str) -> bool:
    """Tell whether a text is no more than a yes or a no."""
    return len(text) <= _LONGEST_ANSWER and _ANSWER.match(text.lower().replace("’", "'")) is not None


def proposal_in(text: str) -> str | None:
    """Return the question a text ends in when it proposes something, else None."""
    last = sentences(text)[-1:]
    if last and is_question(last[0]) and _PROPOSAL.search(last[0].lower().replace("’", "'")):
        return shortened(last[0], _LONGEST_PROPOSAL)
    return None
