"""The rules that facts are inferred by: kept with the facts, shown in their provenance, never run."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from audit.recording import Act
from common.errors import Conflict
from common.jsonio import require_storable
from common.strict import StrictModel, VisibleText, validated
from common.times import now
from memory.facts.document import Reference
from memory.facts.models import InferenceRule
from spaces.access import Binding

LONGEST = 256 * 1024


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


def rules_of(binding: Binding) -> list[InferenceRule]:
    """The rules of the bound scopes, in the order they came."""
    return list(InferenceRule.objects.filter(scope__in=binding.scope_ids).order_by("number"))
