"""Passphrases of several plain words without quotation marks around them."""

import re

from memory.sessions.masking.listed import listed
from memory.sessions.masking.ordinary_words import is_ordinary
from memory.sessions.masking.values import Value, is_plain

_NEXT_WORD = re.compile(r"[ \t]{1,3}(?P<word>[^\W\d_]{1,20}(?:[-'’][^\W\d_]{1,10})?)(?=[ \t.,;!)\"'\n\r]|$)")
_MOST_WORDS = 10
_SENTENCE_WORDS = frozenset(
    listed(
        "a an the this that these those my your our his her their its it i you he she we they me him us them is are"
        " was were be been"
        " am has have had do does did will would can could should must may might not no and or so but because if when"
        " while for to"
        " in on at with from of by as than then there here what which who how why where please und y et e och og der"
        " die das ist"
    )
)
_FEWEST_WORDS_OF_A_PHRASE = 4


def words_of(text: str, value: Value) -> Value:
    """Return the value with the plain words behind it, where they and it are one clause of uncommon words.

    A clause with a word that makes it a sentence ("is", "your", "to"), or with more than one in four that are usual
    after "password is", is none: the value alone is returned.
    """
    if not is_plain(value.text):
        return value
    phrase = whole_clause(text, value)
    words = phrase.text.lower().split()
    if any(word in _SENTENCE_WORDS for word in words) or sum(map(is_ordinary, words)) > len(words) // 4:
        return value
    return phrase


def is_phrase(value: Value) -> bool:
    """Tell a value of four words and more."""
    return len(value.text.split()) >= _FEWEST_WORDS_OF_A_PHRASE


def whole_clause(text: str, value: Value) -> Value:
    """Return the value with all the words up to the end of its clause, common ones included; ten at most."""
    end = value.end
    for _ in range(_MOST_WORDS):
        found = _NEXT_WORD.match(text, end)
        if not found:
            break
        end = found.end("word")
    return Value(value.start, end, text[value.start : end], False)
