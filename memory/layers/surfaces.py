"""A word for each lexeme of a scope, as it was written: stems have poor vectors, and recall widens queries by words."""

from collections.abc import Iterable

from memory.layers.elements import run_sql
from memory.recall.rules.stopwords import terms, words_of


def note_words(scope: int, texts: Iterable[str]) -> None:
    """Remember a word for each lexeme of these texts that has none yet, inside the caller's transaction."""
    words = {word for text in texts for word in words_of(text)}
    found: dict[str, str] = {}
    for word in sorted(words):
        for lexeme in terms(word):
            found.setdefault(lexeme, word)
    if found:
        run_sql(
            "with q as (select t, w from unnest(%(terms)s::text[], %(words)s::text[]) u(t, w)),"
            " named as (update term_df d set word = q.w from q"
            "  where d.scope = %(scope)s and d.term = q.t and d.word = '')"
            " insert into term_df (scope, term, df, word) select %(scope)s, t, 0, w from q order by t"
            " on conflict (scope, term) do nothing",
            {"scope": scope, "terms": list(found), "words": list(found.values())},
        )
