"""The rules that facts are inferred by: kept with the facts, shown in their provenance, never run."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from audit.recording import Act
from common.errors import Conflict
from common.jsonio import require_storable
from common.strict import StrictModel, VisibleText, validated
from common.times import now
from memory.facts.models import InferenceRule
from memory.facts.rules.document import Reference
from memory.facts.scoping import scope_sql
from memory.facts.statements import fetch, judged_values, released_views, select_sql
from memory.facts.views import FactView
from memory.phi.gate import gate_values, released_sql
from spaces.access import Binding

LONGEST = 256 * 1024
MOST_RULES = 200
MOST_COUNTED = 1_000


class RuleInput(StrictModel):
    """A rule of a memory folder; keys of its own are kept."""

    model_config = ConfigDict(extra="allow")

    id: Reference = Field(alias="@id")
    name: Annotated[str, VisibleText(1, 500)] | None = None
    text: Annotated[str, VisibleText(1, 20_000)] | None = None
    version: Annotated[str, VisibleText(1, 100)] | int | float | None = None


def keep_rule(act: Act, binding: Binding, document: dict[str, Any], file: str | None = None) -> tuple[str, bool]:
    """Keep a rule as it is written; (its id, whether it was new). `id` is taken for `@id` where only that is given.

    Raises Invalid, and Conflict when another rule of that id is here: a new version is a new id.
    """
    require_storable(document, limit=LONGEST)
    named = document if "@id" in document or "id" not in document else {**document, "@id": document["id"]}
    given = validated(RuleInput, named)
    scope = binding.one.pk
    there = InferenceRule.objects.filter(scope=scope, id=given.id).first()
    if there is not None:
        if there.document != document:
            raise Conflict("is taken by another rule", field="@id", type="id_taken")
        act.record(binding.caller.actor, "rule.keep", given.id, scope=scope, unchanged=True)
        return given.id, False
    InferenceRule.objects.create(
        scope=scope,
        id=given.id,
        name=given.name or "",
        text=given.text or "",
        version="" if given.version is None else str(given.version),
        document=document,
        file=file,
        recorded_at=now(),
        recorded_by=str(binding.caller.actor),
    )
    act.record(binding.caller.actor, "rule.keep", given.id, scope=scope)
    return given.id, True


@dataclass(frozen=True)
class CountedRule:
    """A rule, and how many facts name it, counted up to 1,000. Of PHI the rule is sealed, so it is not among them."""

    rule: InferenceRule
    facts: int

    @property
    def has_more(self) -> bool:
        return self.facts > MOST_COUNTED


def counted_rules(binding: Binding, *, most: int = MOST_RULES) -> list[CountedRule]:
    """The newest rules of the bound scopes, at most `most`, each with how many facts were inferred by it."""
    rules = list(InferenceRule.objects.filter(scope__in=binding.scope_ids).order_by("-number")[:most])
    sql = (
        "select r.number, (select count(*) from (select 1 from fact f where f.scope = r.scope and f.inference = r.id"
        f" and f.recorded_at <= %(at)s and {released_sql()} limit {MOST_COUNTED + 1}) z) facts"
        " from inference_rule r where r.number = any(%(numbers)s)"
    )
    rows = fetch(sql, gate_values(binding) | {"at": now(), "numbers": [rule.number for rule in rules]})
    counts = {row["number"]: row["facts"] for row in rows}
    return [CountedRule(rule, counts[rule.number]) for rule in rules]


def facts_of_rule(binding: Binding, rule_id: str, *, most: int) -> list[FactView]:
    """The facts of the bound scopes that name a rule, superseded and expired ones too, the newest first; PHI is not."""
    at = now()
    sql = select_sql(f"{scope_sql(binding)} and f.inference = %(rule)s and f.recorded_at <= %(as_of)s")
    values = judged_values(binding, at, at) | {"scopes": binding.scope_ids, "rule": rule_id, "most": most}
    return released_views(binding, fetch(f"{sql} order by f.recorded_at desc, f.id limit %(most)s", values), at)


def rules_of(binding: Binding) -> list[InferenceRule]:
    """The rules of the bound scopes, in the order they came."""
    return list(InferenceRule.objects.filter(scope__in=binding.scope_ids).order_by("number"))
