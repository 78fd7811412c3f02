"""Recall: what a scope remembers about a question, fused into one list, and why each stands where it stands."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import DataError

from memory.layers.elements import run_sql
from memory.layers.indexing import embedder_of_stat
from memory.layers.models import ScopeStat
from memory.layers.vectors import halfvec_text
from memory.recall.gathering import Found, gathered
from memory.recall.recent import RecentLine, recent_lines
from memory.recall.rules.candidates import Candidate, Ranked
from memory.recall.rules.fusion import fuse
from memory.recall.rules.plain import PlainRow, plain_order
from memory.recall.rules.querying import Query, holds_number, holds_time_word, read_query
from memory.recall.spreading import Activated, spread
from memory.recall.vocabulary import widened
from memory.recall.words import Match, ScopeWords, matches, words_of_scope

MOST_TERMS = 60
# Of how many keyword matches the fragments beside them are weighed too; of the nearest all.
MOST_BESIDE = 40
# In a question these are words.
_WORDS_NOT_NAMES = frozenset({"user", "assistant", "system", "tool", "me", "you"})


@dataclass(frozen=True)
class Asked:
    """A question. `as_of`: of what was formed by then; `before`: of what was spoken before it.

    `explained`: the terms of each match are told apart.
    """

    text: str
    at: datetime
    as_of: datetime | None = None
    before: datetime | None = None
    plain: bool = False
    explained: bool = False


@dataclass(frozen=True)
class Arms:
    """What the arms of recall brought from one scope. Recent lines have negative numbers."""

    scope: int
    found: Mapping[int, Found]
    recent: Mapping[int, RecentLine]
    matches: Mapping[int, Match]
    activated: Mapping[int, Activated]
    widening: Mapping[str, float]
    words: ScopeWords


@dataclass(frozen=True)
class Recalled:
    """An answer: places in order over all scopes that were asked, and what the arms brought from each."""

    asked: Asked
    query: Query
    order: Sequence[Ranked | PlainRow]
    arms: Sequence[Arms]

    def arms_of(self, number: int) -> Arms:
        """What was brought from the scope that has this place. Raises KeyError for what is in no order."""
        for arms in self.arms:
            if number in arms.found or number in arms.recent:
                return arms
        raise KeyError(number)


def recall(scopes: Sequence[int], asked: Asked) -> Recalled:
    """Everything that these scopes have to say about a question, best first. Raises EmbedderUnavailable.

    Each scope is searched by itself, with its own frequencies and names; what they bring is weighed together. A scope
    that is moved to another embedder in the meantime is asked again.
    """
    try:
        return _recalled(scopes, asked)
    except DataError:
        return _recalled(scopes, asked)


def _recalled(scopes: Sequence[int], asked: Asked) -> Recalled:
    known = _stats(scopes)
    query = read_query(asked.text, names_of([name for stat in known for name in stat.speakers]))
    vectors = _vectors(known, asked.text)
    arms: list[Arms] = []
    for stat, vector in zip(known, vectors, strict=True):
        arms.append(_arms(stat, query, vector, asked, lines=sum(len(one.recent) for one in arms)))
    if asked.plain:
        return Recalled(asked, query, _plain(arms), arms)
    sessions: dict[str, int] = {}
    candidates = [candidate for one in arms for candidate in _candidates(one, query, sessions)]
    return Recalled(asked, query, fuse(query, candidates), arms)


def _stats(scopes: Sequence[int]) -> list[ScopeStat]:
    """What the index of each of these scopes holds, nothing where none was made."""
    columns = ("scope", "rows", "length", "counted", "embedder", "dimensions", "near_bound", "speakers")
    sql = f"select {', '.join(columns)} from scope_stat where scope = any(%(scopes)s)"
    found = {}
    for *values, speakers in run_sql(sql, {"scopes": list(scopes)}):
        found[values[0]] = ScopeStat(**dict(zip(columns, (*values, json.loads(speakers)), strict=True)))
    return [found.get(scope) or ScopeStat(scope=scope) for scope in scopes]


def _vectors(stats: Sequence[ScopeStat], text: str) -> list[str]:
    """The question's vector for each scope, by the embedder of what the scope holds; none is asked twice."""
    found: dict[str, str] = {}
    embedders = [embedder_of_stat(stat) for stat in stats]
    for embedder in embedders:
        if embedder.name not in found:
            found[embedder.name] = halfvec_text(embedder.embed([text])[0])
    return [found[embedder.name] for embedder in embedders]


def _arms(stat: ScopeStat, query: Query, vector: str, asked: Asked, *, lines: int) -> Arms:
    """What one scope brings; its recent lines are numbered on from `lines`."""
    scope, at, as_of, before = stat.scope, asked.at, asked.as_of, asked.before
    activated = spread(stat, vector, at, as_of=as_of, before=before)
    near = widened(scope, query, stat.counted, stat.rows)
    widening = {term: weight for term, weight in near.items() if term not in query.terms}
    words = words_of_scope(stat, [*query.terms, *widening])
    own = _rarest(query.terms, words)
    hits = matches(scope, widening | own, words, as_of=as_of, before=before, explained=asked.explained)
    # What was spoken by an earlier instant and is not distilled yet was no memory then.
    recent = [] if as_of else recent_lines(scope, own, words, before=before)
    nearest = [item.id for item in activated if item.cosine is not None]
    ids = {item.id for item in activated} | {hit.id for hit in hits}
    beside = {*nearest, *(hit.id for hit in hits[:MOST_BESIDE])}
    return Arms(
        scope=scope,
        found=gathered(scope, ids, vector, at, as_of=as_of, before=before, beside=beside),
        recent={-lines - number: line for number, line in enumerate(recent, start=1)},
        matches={hit.id: hit for hit in hits},
        activated={item.id: item for item in activated},
        widening=widening,
        words=words,
    )


def names_of(speakers: Sequence[str]) -> dict[str, str]:
    """Names in lower case, first names that are one speaker's alone too, each with the name that lines carry."""
    named = [name for name in speakers if name.strip() and name.casefold() not in _WORDS_NOT_NAMES]
    found = {name.casefold(): name for name in named}
    firsts = Counter(name.casefold().split()[0] for name in named)
    for name in named:
        first = name.casefold().split()[0]
        if firsts[first] == 1:
            found.setdefault(first, name)
    return found


def _rarest(terms: Mapping[str, float], words: ScopeWords) -> dict[str, float]:
    """A query's terms, the weightiest 60 of a long one."""
    order = sorted(terms, key=lambda term: -terms[term] * words.idf.get(term, 0.0))
    return {term: terms[term] for term in order[:MOST_TERMS]}


def _plain(arms: Sequence[Arms]) -> list[PlainRow]:
    return plain_order(
        [(item.id, item.score) for one in arms for item in one.activated.values() if item.id in one.found],
        [(hit.id, hit.bm) for one in arms for hit in one.matches.values() if hit.id in one.found],
        [(number, line.bm) for one in arms for number, line in one.recent.items()],
    )


def _candidates(arms: Arms, query: Query, sessions: dict[str, int]) -> list[Candidate]:
    candidates = []
    for node, item in arms.found.items():
        bm = arms.matches[node].bm if node in arms.matches else 0.0
        if item.layer == 1:
            candidates.append(_of_fragment(item, bm, query, sessions))
        else:
            activation = arms.activated[node].activation if node in arms.activated else 0.0
            candidates.append(_of_higher(item, bm, activation))
    return candidates + [_of_line(number, line, query, sessions) for number, line in arms.recent.items()]


def _of_higher(item: Found, bm: float, activation: float) -> Candidate:
    return Candidate(
        item.id,
        item.layer,
        bm,
        strength=item.strength,
        said_at=item.said_at,
        members=item.members,
        activation=activation,
    )


def _of_fragment(item: Found, bm: float, query: Query, sessions: dict[str, int]) -> Candidate:
    return Candidate(
        item.id,
        item.layer,
        bm,
        item.cosine,
        item.strength,
        item.role,
        item.length,
        item.speaker,
        item.said_at,
        query.asks_time and holds_time_word(item.text),
        query.asks_number and holds_number(item.text),
        None if item.place is None else (sessions.setdefault(item.place[0], len(sessions)), item.place[1]),
        item.neighbours,
        item.events,
    )


def _of_line(number: int, line: RecentLine, query: Query, sessions: dict[str, int]) -> Candidate:
    return Candidate(
        number,
        0,
        line.bm,
        role=line.role,
        length=len(line.text),
        speaker=line.speaker,
        said_at=line.at,
        has_time=query.asks_time and holds_time_word(line.text),
        has_number=query.asks_number and holds_number(line.text),
        line=(sessions.setdefault(str(line.session), len(sessions)), line.index),
    )
