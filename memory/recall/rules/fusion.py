"""One list out of what words, vectors and the graph found; every term of a score is kept, so that it can be explained.

A fragment's own score is words + 0.8 × cosine, each divided by the best among the candidates, times its factors. It
gains 0.3 of its better neighbour's own score and 0.2 of the best in its event, and is weighed by its strength.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median

from memory.recall.rules.candidates import Account, Candidate, Ranked
from memory.recall.rules.factors import factors_of
from memory.recall.rules.placing import placed
from memory.recall.rules.querying import Query

__all__ = ["Account", "Candidate", "Ranked", "fuse"]

COSINE = 0.8
ACTIVATION = 0.8
NEIGHBOUR = 0.3
EVENT = 0.2
LEAST_STRENGTH = 0.4
ANOTHER_PART = 0.5

Line = tuple[int, int]
Group = tuple[str, int]


def fuse(query: Query, candidates: Sequence[Candidate]) -> list[Ranked]:
    """Return all candidates ranked, best first; what to supply is said at Candidate. Equal scores are ordered by id.

    Fragments and recent lines stand by their scores. Events and concepts stand among them, at most one behind each
    three, where `placed` finds room.
    """
    lines = [candidate for candidate in candidates if candidate.layer <= 1]
    higher = [candidate for candidate in candidates if candidate.layer > 1]
    # A concept is a name and little more: its BM25 must not make the lines' look small.
    best_words = max((candidate.bm for candidate in lines), default=0.0)
    accounts = _accounts_of_lines(query, lines, best_words)
    _spread(lines, accounts)
    ranked = [Ranked(line.id, line.layer, accounts[line.id].total, accounts[line.id]) for line in lines]
    above = _accounts_of_higher(higher, best_words or max((candidate.bm for candidate in higher), default=0.0))
    return placed(_in_order(ranked), [(candidate, above[candidate.id]) for candidate in higher])


def _in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda item: (-item.score, item.id))


def _accounts_of_lines(query: Query, lines: Sequence[Candidate], best_words: float) -> dict[int, Account]:
    cosines = [candidate.cosine for candidate in lines if candidate.cosine is not None]
    best_cosine = max(cosines, default=0.0)
    # A line that has no vector yet is neither helped nor harmed by that.
    usual = median(cosines) if cosines else 0.0
    accounts = {}
    for candidate in lines:
        cosine = usual if candidate.cosine is None else candidate.cosine
        accounts[candidate.id] = Account(
            words=_share(candidate.bm, best_words),
            cosine=COSINE * _share(cosine, best_cosine),
            activation=0.0,
            factors=factors_of(query, candidate),
            spread={},
            strength=_strength(candidate),
        )
    return _best_of_each_line(lines, accounts)


def _best_of_each_line(lines: Sequence[Candidate], accounts: dict[int, Account]) -> dict[int, Account]:
    """Let the best part of a divided line stand for it: with the best words and the best cosine that any part has.

    The others fall back by half, so that one long line does not fill the answer.
    """
    parts: dict[Line, list[int]] = {}
    for candidate in lines:
        if candidate.line is not None:
            parts.setdefault(candidate.line, []).append(candidate.id)
    for ids in parts.values():
        if len(ids) > 1:
            best = max(ids, key=lambda identity: (accounts[identity].own, -identity))
            accounts[best] = replace(
                accounts[best],
                words=max(accounts[identity].words for identity in ids),
                cosine=max(accounts[identity].cosine for identity in ids),
            )
            for other in ids:
                if other != best:
                    accounts[other].factors["another part"] = ANOTHER_PART
    return accounts


def _spread(lines: Sequence[Candidate], accounts: Mapping[int, Account]) -> None:
    """Fill in what each line gains from the lines beside it and in its events."""
    own = {identity: account.own for identity, account in accounts.items()}
    groups = {candidate.id: _groups(candidate) for candidate in lines}
    best_in: dict[Group, float] = {}
    for identity, of_line in groups.items():
        for group in of_line:
            best_in[group] = max(own[identity], best_in.get(group, 0.0))
    for candidate in lines:
        beside = [own[identity] for identity in candidate.neighbours if identity in own]
        around = [best_in[group] for group in groups[candidate.id]]
        spread = accounts[candidate.id].spread
        spread["neighbour"] = NEIGHBOUR * max(beside, default=0.0)
        spread["event"] = EVENT * max(around, default=0.0)


def _groups(candidate: Candidate) -> list[Group]:
    """Return the events of a fragment or, where it hangs under none, its session."""
    if candidate.events or candidate.line is None:
        return [("event", identity) for identity in candidate.events]
    return [("session", candidate.line[0])]


def _accounts_of_higher(higher: Sequence[Candidate], best_words: float) -> dict[int, Account]:
    most = max((candidate.activation for candidate in higher), default=0.0)
    return {
        candidate.id: Account(
            words=min(1.0, _share(candidate.bm, best_words)),
            cosine=0.0,
            activation=ACTIVATION * _share(candidate.activation, most),
            factors={},
            spread={},
            strength=_strength(candidate),
        )
        for candidate in higher
    }


def _share(value: float, best: float) -> float:
    return max(0.0, value) / best if best > 0 else 0.0


def _strength(candidate: Candidate) -> float:
    return LEAST_STRENGTH + (1 - LEAST_STRENGTH) * candidate.strength
