"""A word for each lexeme of a scope, as it was written: stems have poor vectors, and recall widens queries by words."""

from collections.abc import Iterable

from common.text import lexemes
from memory.layers.elements import run_sql
from memory.recall.rules.stopwords import is_stop_word, words_of


def note_words(scope: int, texts: Iterable[str]) -> None:
    """Remember a word for each lexeme of these texts that has none yet, inside the caller's transaction."""
    words = {word for text in texts for word in words_of(text)}
    found: dict[str, str] = {}
    for word in sorted(words):
        if not is_stop_word(word):
            for lexeme in lexemes(word):
                found.setdefault(lexeme, word)
    if found:
        run_sql(
            "insert into term_df (scope, term, df, word) select %(scope)s, t, 0, w"
            " from unnest(%(terms)s::text[], %(words)s::text[]) q(t, w) order by t"
            " on conflict (scope, term) do nothing",
            {"scope": scope, "terms": list(found), "words": list(found.values())},
        )
