"""Words too common to tell one memory from another, and the analysis of texts and queries that leaves them out."""

import re

from common.text import lexemes
from memory.recall.rules.irregular import base_form

# "may" is left out: it is a month too.
_LISTED = """
a about after again all also am an and any are as at be because been before being both but by can could did do does
doing done for from further had has have having he her here hers herself him himself his how i if in into is it its
itself just let me might more most much must my myself no nor not now of off on once only or other our ours ourselves
out over own really same shall she should so some such than that the their theirs them themselves then there these they
this those through to too under until up upon us very was we were what when where whether which while who whom whose
why will with would you your yours yourself yourselves
ain't aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't isn't mightn't mustn't needn't shan't
shouldn't wasn't weren't won't wouldn't dont didnt doesnt isnt wasnt im ive youre youve thats whats theres hes shes
gonna wanna gotta yeah yes oh ok okay
"""
STOP_WORDS = frozenset(_LISTED.split())
_ENDINGS = ("s", "re", "ve", "ll", "d", "m")

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def is_stop_word(word: str) -> bool:
    """Tell whether a lower-case English word, contractions with a straight apostrophe included, says nothing alone."""
    if word in STOP_WORDS:
        return True
    stem, apostrophe, ending = word.partition("'")
    return bool(apostrophe) and ending in _ENDINGS and stem in STOP_WORDS


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case and in their order; an apostrophe inside is part of a word."""
    return _WORD.findall(text.lower().replace("’", "'"))


def terms(text: str) -> list[str]:
    """Return the lexemes of a text in their order without stop words, irregular English forms brought to their base.

    Both are done before stemming. Chinese, Japanese and Korean stay as `lexemes` has them.
    """
    kept = [base_form(word.removesuffix("'s")) for word in words_of(text) if not is_stop_word(word)]
    return lexemes(" ".join(kept))
