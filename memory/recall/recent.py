"""Recent lines: what was said and is not distilled yet, found by its words."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.layers.elements import run_sql
from memory.layers.rules.tsvector import prefixed, quoted
from memory.recall.rules.bm25 import score
from memory.recall.rules.stopwords import terms as terms_of
from memory.recall.words import ScopeWords

MOST_SCANNED = 2_000
MOST_FOUND = 20
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class RecentLine:
    """A line of L0 with its BM25."""

    session: UUID
    client_id: str
    index: int
    role: str
    speaker: str
    text: str
    at: datetime
    bm: float


def recent_lines(
    scope: int, terms: Mapping[str, float], words: ScopeWords, *, before: datetime | None
) -> list[RecentLine]:
    """The best 20 of the last 2,000 lines of a scope that are not distilled, best first. PHI is never among them."""
    if not terms:
        return []
    rows = run_sql(
        "select l.session, l.client_id, l.index, l.role, l.speaker, l.text, l.at from"
        " (select l.*, s.client_id from session s join session_line l on l.session = s.id"
        "   and l.index >= s.distilled_until"
        "  where s.scope = %(scope)s and s.line_count > s.distilled_until and s.classification is distinct from 'PHI'"
        "  order by l.arrived_at desc, l.index desc limit %(scanned)s) l"
        " where l.search @@ %(query)s::tsquery and (%(before)s::timestamptz is null or l.at < %(before)s::timestamptz)",
        {
            "scope": scope,
            "scanned": MOST_SCANNED,
            "query": " | ".join(quoted(prefixed(scope, term)) for term in terms),
            "before": before,
        },
    )
    found = [
        RecentLine(session, client_id, index, role, speaker, text, at, _bm(text, terms, words))
        for session, client_id, index, role, speaker, text, at in rows
    ]
    return sorted(found, key=lambda line: (-line.bm, line.session, line.index))[:MOST_FOUND]


def _bm(text: str, terms: Mapping[str, float], words: ScopeWords) -> float:
    held = terms_of(text[:_LONGEST])
    frequencies: dict[str, float] = {}
    for lexeme in held:
        if lexeme in terms:
            frequencies[lexeme] = frequencies.get(lexeme, 0.0) + 1.0
    # In a scope that has no memories yet every lexeme is as rare as any other.
    idf = {lexeme: words.idf.get(lexeme) or 1.0 for lexeme in terms}
    return score(dict(terms), frequencies, float(len(held)), words.average, idf)
