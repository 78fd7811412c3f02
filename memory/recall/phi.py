"""PHI in recall: what the gate releases is met through the nodes that stand for it; it has no words and no vector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.facts.reading import facts_by_id
from memory.facts.statements import fetch
from memory.facts.views import FactView
from memory.layers.elements import run_sql
from memory.layers.rules.strength import effective_sql
from memory.layers.statements import released_node_sql
from memory.phi.gate import gate_values, may_see_phi, released_sql
from memory.phi.sealing import opened_or_none
from memory.recall.recalling import Asked
from memory.recall.rules.candidates import Ranked
from memory.recall.rules.plain import PlainRow
from memory.recall.rules.stopwords import terms as terms_of
from memory.recall.standing import formed_by_sql, not_archived_sql, spoken_before_sql, strength_then_sql
from spaces.access import Binding

# PHI is opened to be looked at, so only the newest are.
MOST_OPENED = 500


@dataclass(frozen=True, slots=True)
class PhiPlace:
    """A released PHI memory; `share` is how much of the question's weight its words hold, above 0 to 1."""

    id: int
    scope: int
    fact: str
    share: float
    strength: float
    score: float


Place = Ranked | PlainRow | PhiPlace


def withheld_counts(binding: Binding) -> dict[str, int]:
    """How many live memories of the bound scopes the gate withholds, by class; for whoever may know."""
    rows = run_sql(
        "select n.classification, count(*) from node n join node_strength s on s.node = n.id and s.archived_at is null"
        " where n.scope = any(%(scopes)s) and (n.phi_ref is not null or n.classification = 'PHI')"
        f" and not {released_node_sql()} group by 1",
        gate_values(binding) | {"scopes": binding.scope_ids},
    )
    return {classification or "PHI": count for classification, count in rows}


def phi_places(binding: Binding, asked: Asked, terms: Mapping[str, float]) -> list[PhiPlace]:
    """The released PHI memories that hold words of the question, the largest share first.

    To look for words is not put on record; whoever shows one reads it by `phi_views`.
    """
    if not may_see_phi(binding) or not terms:
        return []
    then = asked.as_of is not None
    narrowing = f" and {formed_by_sql('n')}" if then else ""
    narrowing += f" and {spoken_before_sql('n')}" if asked.before else ""
    rows = fetch(
        "select n.id node, n.scope, f.sealed, f.consent, f.subject, f.id, k.name key_name, k.wrapped key_wrapped,"
        f" k.wrapped_by key_wrapped_by, {effective_sql('r' if then else 's', '%(at)s::timestamptz')} strength"
        f" from node n join node_strength s on s.node = n.id and {not_archived_sql('s', then=then)}"
        + (f" cross join {strength_then_sql('n.id')}" if then else "")
        + " join fact f on f.scope = n.scope and f.id = n.phi_ref join data_key k on k.number = f.key"
        " where n.scope = any(%(scopes)s) and n.phi_ref is not null and n.superseded_by is null"
        f" and n.merged_into is null and {released_sql()}{narrowing} order by n.id desc limit %(most)s",
        gate_values(binding)
        | {
            "scopes": binding.scope_ids,
            "at": asked.as_of or asked.at,
            "as_of": asked.as_of,
            "before": asked.before,
            "most": MOST_OPENED,
        },
    )
    total = sum(terms.values())
    found = []
    for row in rows:
        opened = opened_or_none(row)
        held = set(terms_of(str(opened["statement"]))) if opened else set()
        if share := sum(weight for term, weight in terms.items() if term in held) / total:
            found.append(PhiPlace(row["node"], row["scope"], row["id"], share, row["strength"], share))
    return sorted(found, key=lambda place: (-place.share, -place.id))


def phi_views(binding: Binding, places: Sequence[PhiPlace]) -> dict[int, FactView]:
    """The facts that are about to be shown, by node, without those that were erased; their reading is on record."""
    if not places:
        return {}
    views = {(view.scope, view.record.id): view for view in facts_by_id(binding, [place.fact for place in places])}
    return {place.id: views[place.scope, place.fact] for place in places if (place.scope, place.fact) in views}


def among(order: Sequence[Ranked | PlainRow], places: Sequence[PhiPlace]) -> list[Place]:
    """Both in one order.

    A fused score of PHI is its share of the best score of the rest, and of equal scores PHI comes first. In the plain
    order it stands with the keywords: behind what spreading brought, before the rest.
    """
    if not places:
        return list(order)
    if order and isinstance(order[0], PlainRow):
        spread = [row for row in order if isinstance(row, PlainRow) and row.step == "spreading"]
        return [*spread, *places, *order[len(spread) :]]
    best = max((item.score for item in order), default=0.0) or 1.0
    scored = [
        PhiPlace(place.id, place.scope, place.fact, place.share, place.strength, best * place.share) for place in places
    ]
    return sorted([*scored, *order], key=lambda place: -place.score)
