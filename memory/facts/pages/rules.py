"""The page of rules: what facts are inferred by, and the facts that each of them gave."""

from dataclasses import dataclass
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from pydantic import Field

from common.rest.query import parsed_query
from memory.facts.asking import ScopeQuery
from memory.facts.inference_rules import MOST_RULES, CountedRule, counted_rules, facts_of_rule
from memory.facts.views import FactView
from spaces.pages import Here, space_page

MOST_FACTS = 100


class RulesQuery(ScopeQuery):
    """Which rule's facts are shown."""

    rule: Annotated[str, Field(min_length=1, max_length=500)] | None = None


@dataclass(frozen=True)
class Row:
    """A rule with the count of its facts, and the name of its scope."""

    counted: CountedRule
    scope: str


@require_safe
@space_page("facts:read", scoped=True)
def rules_page(request: HttpRequest, here: Here) -> HttpResponse:
    """The rules of the bound scopes; with `?rule=` the facts that were inferred by one as well."""
    given = parsed_query(RulesQuery, request.GET)
    names = here.bound.names
    found = counted_rules(here.bound, most=MOST_RULES + 1)
    inferred = facts_of_rule(here.bound, given.rule, most=MOST_FACTS + 1) if given.rule else []
    context: dict[str, Any] = {
        "rows": [Row(counted, names[counted.rule.scope]) for counted in found[:MOST_RULES]],
        "has_more": len(found) > MOST_RULES,
        "rule": given.rule,
        "inferred": _named(inferred[:MOST_FACTS], names),
        "has_more_facts": len(inferred) > MOST_FACTS,
    }
    return render(request, "memory/rules.html", context)


def _named(views: list[FactView], names: dict[int, str]) -> list[tuple[FactView, str]]:
    return [(view, names[view.scope]) for view in views]
