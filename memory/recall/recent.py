"""Recent lines: what was said and is not distilled yet, found by its words."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.layers.elements import run_sql
from memory.layers.rules.tsvector import prefixed, quoted
from memory.layers.tombstones import Blocked
from memory.recall.literals import floats, texts
from memory.recall.rules.bm25 import score
from memory.recall.rules.stopwords import terms as terms_of
from memory.recall.words import ScopeWords

MOST_SCANNED = 2_000
MOST_FOUND = 20
_MOST_WEIGHED = 100
_MOST_SESSIONS = 200
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
    """The best 20 of the newest 2,000 lines of a scope that are not distilled, best first.

    PHI is never among them, nor what was forgotten and is told again. The sessions that were spoken in last
    are looked through first, each from its end. `words` must know the terms.
    """
    if not terms:
        return []
    lexemes = [prefixed(scope, term) for term in terms]
    rows = run_sql(
        _LINES.format(before="" if before is None else " and l.at < %(before)s::timestamptz"),
        {
            "scope": scope,
            "sessions": _MOST_SESSIONS,
            "scanned": MOST_SCANNED,
            "weighed": _MOST_WEIGHED,
            "query": " | ".join(quoted(lexeme) for lexeme in lexemes),
            "lexemes": texts(lexemes),
            "factors": floats(weight * words.idf.get(term, 0.0) for term, weight in terms.items()),
            "before": before,
        },
    )
    if not rows:
        return []
    weights, idfs, blocked = dict(terms), dict(words.idf), Blocked(scope)
    found = [
        RecentLine(session, client_id, index, role, speaker, left, at, bm)
        for session, client_id, index, role, speaker, text, at in rows
        if (left := blocked.line(text, speaker, session, index))
        and ((bm := _bm(left, weights, idfs, words.average)) > 0 or left == text)
    ]
    return sorted(found, key=lambda line: (-line.bm, line.session, line.index))[:MOST_FOUND]


# Where many lines hold something of the question, those that hold the most of it are weighed.
_LINES = (
    "with newest as materialized (select l.*, s.client_id from (select id, client_id, distilled_until from session"
    "   where scope = %(scope)s and line_count > distilled_until and classification is distinct from 'PHI'"
    "   order by last_line_at desc limit %(sessions)s) s"
    "  cross join lateral (select session, index, role, speaker, text, at, search from session_line"
    "   where session = s.id and index >= s.distilled_until order by index desc limit %(scanned)s) l"
    "  limit %(scanned)s),"
    " q as materialized (select * from unnest(%(lexemes)s::text[], %(factors)s::float8[]) q(lexeme, factor))"
    " select l.session, l.client_id, l.index, l.role, l.speaker, l.text, l.at from newest l"
    " cross join lateral (select sum(q.factor) most from q join unnest(tsvector_to_array("
    "   ts_filter(setweight(l.search, 'A', %(lexemes)s::text[]), '{{a}}'))) h(lexeme) on h.lexeme = q.lexeme) f"
    " where l.search @@ %(query)s::tsquery{before} order by f.most desc, l.session, l.index limit %(weighed)s"
)


def _bm(text: str, terms: dict[str, float], idfs: dict[str, float], average: float) -> float:
    held = terms_of(text[:_LONGEST])
    frequencies = {lexeme: float(count) for lexeme, count in Counter(held).items()}
    return score(terms, frequencies, float(len(held)), average, idfs)
