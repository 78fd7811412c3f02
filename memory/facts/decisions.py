"""How contradictions were settled: decisions on record, for whoever may read the facts that they are about."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.facts.models import ContradictionDecision
from memory.facts.reading import facts_by_id
from memory.facts.statements import fetch
from memory.facts.views import FactView
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

MOST_FACTS = 20


@dataclass(frozen=True)
class SettledContradiction:
    """A decision with the facts it was about, the chosen one first; of many, the first 20."""

    decision: ContradictionDecision
    facts: tuple[FactView, ...]

    @property
    def chosen(self) -> FactView | None:
        return next((view for view in self.facts if view.record.id == self.decision.chosen), None)


def settled_contradictions(
    binding: Binding, *, before: int | None = None, limit: int = 25
) -> tuple[list[SettledContradiction], int | None]:
    """Decisions in the bound scopes, the newest first, and the number that the next page begins before.

    One about a fact that is withheld from the reader is left out.
    """
    rows = fetch(
        "select d.number from contradiction_decision d where d.scope = any(%(scopes)s)"
        " and (%(before)s::bigint is null or d.number < %(before)s) and not exists (select 1 from fact f"
        f"  where f.scope = d.scope and f.id = any(d.facts) and not {released_sql()})"
        " order by d.number desc limit %(most)s",
        gate_values(binding) | {"scopes": binding.scope_ids, "before": before, "most": limit + 1},
    )
    numbers = [row["number"] for row in rows]
    decisions = list(ContradictionDecision.objects.filter(number__in=numbers[:limit]).order_by("-number"))
    return _with_facts(binding, decisions), numbers[limit - 1] if len(numbers) > limit else None


def _with_facts(binding: Binding, decisions: Sequence[ContradictionDecision]) -> list[SettledContradiction]:
    names = {decision.number: _shown(decision) for decision in decisions}
    found = facts_by_id(binding, sorted({name for shown in names.values() for name in shown})) if names else []
    views = {(view.scope, view.record.id): view for view in found}
    return [
        SettledContradiction(
            decision,
            tuple(views[key] for name in names[decision.number] if (key := (decision.scope, name)) in views),
        )
        for decision in decisions
    ]


def _shown(decision: ContradictionDecision) -> list[str]:
    first = [decision.chosen] if decision.chosen else []
    return [*first, *(name for name in decision.facts if name != decision.chosen)][:MOST_FACTS]
