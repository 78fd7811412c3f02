"""SEARCH PROPOSITION: links by the name and description of their predicate, and by their attributes."""

from collections.abc import Mapping

from memory.kip.querying.compiling import Compiling, require_storable
from memory.layers.elements import run_sql
from memory.recall.rules.stopwords import terms, words_of

MOST = 1_000
_BY_NAME, _BY_DESCRIPTION, _BY_ATTRIBUTES = 0.9, 0.6, 0.8


def found_links(compiling: Compiling, term: str, predicate: str | None) -> dict[int, float]:
    """Links and their scores, 0 to 1: the share of the term's words that the predicate or the attributes hold."""
    sought = set(terms(term)) or set(words_of(term))
    scores = _of_predicates(compiling, term, sought, predicate)
    found = _by_predicate(compiling, scores)
    exact = sum(1 for score in found.values() if score == 1.0)
    if sought and exact < MOST:
        for number, score in _by_attributes(compiling, sought, predicate).items():
            found[number] = max(score, found.get(number, 0.0))
    return found


def _of_predicates(compiling: Compiling, term: str, sought: set[str], predicate: str | None) -> dict[str, float]:
    scores = {}
    for name, rule in compiling.registry.predicates.items():
        if predicate is not None and name != predicate:
            continue
        if name.casefold() == term.strip().casefold():
            scores[name] = 1.0
        elif score := max(
            _BY_NAME * _share(sought, f"{name} {name.replace('_', ' ')}"),
            _BY_DESCRIPTION * _share(sought, rule.description),
        ):
            scores[name] = score
    return scores


def _by_predicate(compiling: Compiling, scores: Mapping[str, float]) -> dict[int, float]:
    found: dict[int, float] = {}
    for name, score in sorted(scores.items(), key=lambda pair: -pair[1]):
        conditions = " and ".join(compiling.link_conditions("l"))
        rows = run_sql(
            f"{compiling.beginning}select l.id from link l where {conditions} and l.predicate ="
            f" {compiling.value(name)} order by l.id limit {MOST - len(found)}",
            compiling.values,
        )
        found |= {row[0]: score for row in rows}
        if len(found) >= MOST:
            break
    return found


def _by_attributes(compiling: Compiling, sought: set[str], predicate: str | None) -> dict[int, float]:
    conditions = [*compiling.link_conditions("l"), "l.attributes <> '{}'::jsonb"]
    if predicate is not None:
        require_storable(predicate)
        conditions.append(f"l.predicate = {compiling.value(predicate)}")
    patterns = compiling.value([_pattern(word) for word in sorted(sought)])
    rows = run_sql(
        f"{compiling.beginning}select l.id, l.attributes::text from link l where {' and '.join(conditions)}"
        f" and l.attributes::text ilike any({patterns}::text[]) order by l.id limit {MOST}",
        compiling.values,
    )
    return {number: score for number, text in rows if (score := _BY_ATTRIBUTES * _share(sought, text))}


def _pattern(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def _share(sought: set[str], text: str) -> float:
    return len(sought & set(terms(text))) / len(sought) if sought else 0.0
