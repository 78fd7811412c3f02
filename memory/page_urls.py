"""Pages of memory, inside a Space."""

from django.urls import path

from memory.facts.pages import (
    contradictions,
    difference,
    fact,
    facts,
    fading,
    importing,
    provenance,
    retention,
    rules,
    writing,
)
from memory.phi import page_consents, page_phi

urlpatterns = [
    path("consents", page_consents.consents, name="consents_page"),
    path("consents/new", page_consents.new_consent, name="consent_new"),
    path("consents/subjects/<str:subject>", page_phi.subject_page, name="phi_subject"),
    path("consents/subjects/<str:subject>/break-glass", page_phi.break_glass, name="phi_break_glass"),
    path("consents/<path:consent_id>/narrow", page_consents.narrow, name="consent_narrow"),
    path("consents/<path:consent_id>/withdraw", page_consents.withdraw, name="consent_withdraw"),
    path("contradictions", contradictions.contradictions, name="contradictions_page"),
    path("contradictions/decisions", contradictions.decisions, name="contradiction_decisions"),
    path("contradictions/behind/<str:fact_id>", contradictions.behind, name="contradiction_behind"),
    path("fading", fading.fading, name="fading_page"),
    path("facts", facts.facts, name="facts_page"),
    path("facts/new", writing.new_fact, name="fact_new"),
    path("facts/import", importing.import_page, name="facts_import"),
    path("facts/difference", difference.difference_page, name="facts_difference"),
    path("facts/<str:fact_id>", fact.fact, name="fact_page"),
    path("facts/<str:fact_id>/provenance", provenance.provenance_page, name="fact_provenance_page"),
    path("facts/<str:fact_id>/derived", provenance.derived_page, name="fact_derived_page"),
    path("facts/<str:fact_id>/supersede", writing.supersede, name="fact_supersede"),
    path("rules", rules.rules_page, name="rules_page"),
    path("retention", retention.retention, name="retention_page"),
]
