"""PHI in recall: what the gate releases is met through the nodes that stand for it; it has no words and no vector."""

from collections.abc import Mapping, Sequence

from memory.facts.reading import facts_by_id
from memory.facts.statements import fetch
from memory.facts.views import FactView
from memory.layers.elements import run_sql
from memory.layers.rules.strength import effective_sql
from memory.phi.gate import gate_values, may_see_phi, released_sql
from memory.phi.sealing import opened_or_none
from memory.recall.recalling import Asked
from memory.recall.rules.stopwords import terms as terms_of
from spaces.access import Binding

# PHI is opened to be looked at, so only the newest are.
MOST_OPENED = 500


def withheld_counts(binding: Binding) -> dict[str, int]:
    """How many live memories of the bound scopes the gate withholds, by class; for whoever may know."""
    rows = run_sql(
        "select n.classification, count(*) from node n join node_strength s on s.node = n.id and s.archived_at is null"
        " where n.scope = any(%(scopes)s) and n.phi_ref is not null and not exists (select 1 from fact f"
        f"  where f.scope = n.scope and f.id = n.phi_ref and {released_sql()}) group by 1",
        gate_values(binding) | {"scopes": binding.scope_ids},
    )
    return {classification or "PHI": count for classification, count in rows}


def phi_matches(
    binding: Binding, asked: Asked, terms: Mapping[str, float], limit: int
) -> list[tuple[int, int, FactView, float, float]]:
    """Released PHI memories that hold words of the question: (node, scope, fact, share of the words, strength).

    The best first. That they were read is on record, of those that are returned; looking for words is not.
    """
    if not may_see_phi(binding) or not terms:
        return []
    rows = fetch(
        "select n.id node, n.scope, n.phi_ref, f.sealed, f.consent, f.subject, f.id, k.name key_name,"
        f" k.wrapped key_wrapped, k.wrapped_by key_wrapped_by, {effective_sql('s', '%(at)s::timestamptz')} strength"
        " from node n join node_strength s on s.node = n.id and s.archived_at is null"
        " join fact f on f.scope = n.scope and f.id = n.phi_ref join data_key k on k.number = f.key"
        f" where n.scope = any(%(scopes)s) and n.phi_ref is not null and n.superseded_by is null and {released_sql()}"
        " and (%(as_of)s::timestamptz is null or n.formed_at <= %(as_of)s::timestamptz)"
        " and (%(before)s::timestamptz is null or n.said_at is null or n.said_at < %(before)s::timestamptz)"
        " order by n.id desc limit %(most)s",
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
    hits = []
    for row in rows:
        opened = opened_or_none(row)
        if opened is None:
            continue
        held = set(terms_of(str(opened["statement"])))
        share = sum(weight for term, weight in terms.items() if term in held) / total
        if share:
            hits.append((share, row))
    hits.sort(key=lambda hit: (-hit[0], -hit[1]["node"]))
    return _shown(binding, hits[:limit])


def _shown(
    binding: Binding, hits: Sequence[tuple[float, dict[str, object]]]
) -> list[tuple[int, int, FactView, float, float]]:
    views = {
        (view.scope, view.record.id): view for view in facts_by_id(binding, [str(row["phi_ref"]) for _, row in hits])
    }
    found = []
    for share, row in hits:
        view = views.get((int(str(row["scope"])), str(row["phi_ref"])))
        if view is not None:
            found.append((int(str(row["node"])), view.scope, view, share, float(str(row["strength"]))))
    return found
