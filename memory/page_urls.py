"""Pages of memory, inside a Space."""

from django.urls import path

from memory.facts import (
    page_consents,
    page_contradictions,
    page_difference,
    page_fact,
    page_fading,
    page_import,
    page_phi,
    page_provenance,
    page_retention,
    page_rules,
    page_writing,
    pages,
)

urlpatterns = [
    path("consents", page_consents.consents, name="consents_page"),
    path("consents/new", page_consents.new_consent, name="consent_new"),
    path("consents/subjects/<str:subject>", page_phi.subject_page, name="phi_subject"),
    path("consents/subjects/<str:subject>/break-glass", page_phi.break_glass, name="phi_break_glass"),
    path("consents/<path:consent_id>/narrow", page_consents.narrow, name="consent_narrow"),
    path("consents/<path:consent_id>/withdraw", page_consents.withdraw, name="consent_withdraw"),
    path("contradictions", page_contradictions.contradictions, name="contradictions_page"),
    path("contradictions/decisions", page_contradictions.decisions, name="contradiction_decisions"),
    path("contradictions/behind/<str:fact_id>", page_contradictions.behind, name="contradiction_behind"),
    path("fading", page_fading.fading, name="fading_page"),
    path("facts", pages.facts, name="facts_page"),
    path("facts/new", page_writing.new_fact, name="fact_new"),
    path("facts/import", page_import.import_page, name="facts_import"),
    path("facts/difference", page_difference.difference_page, name="facts_difference"),
    path("facts/<str:fact_id>", page_fact.fact, name="fact_page"),
    path("facts/<str:fact_id>/provenance", page_provenance.provenance_page, name="fact_provenance_page"),
    path("facts/<str:fact_id>/derived", page_provenance.derived_page, name="fact_derived_page"),
    path("facts/<str:fact_id>/supersede", page_writing.supersede, name="fact_supersede"),
    path("rules", page_rules.rules_page, name="rules_page"),
    path("retention", page_retention.retention, name="retention_page"),
]
