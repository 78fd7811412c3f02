"""REST routes of memory, inside a Space."""

from django.urls import path

from memory.facts.api import contradictions, facts, provenance
from memory.phi import api as phi_api

urlpatterns = [
    path("facts", facts.FactsView.as_view(), name="facts"),
    path("facts/bulk", facts.BulkView.as_view(), name="facts-bulk"),
    path("facts/import", facts.ImportView.as_view(), name="facts-import"),
    path("facts/export", facts.ExportView.as_view(), name="facts-export"),
    path("facts/<str:fact_id>", facts.OneFactView.as_view(), name="fact"),
    path("facts/<str:fact_id>/supersede", facts.SupersedeView.as_view(), name="fact-supersede"),
    path("facts/<str:fact_id>/still-true", provenance.StillTrueView.as_view(), name="fact-still-true"),
    path("facts/<str:fact_id>/provenance", provenance.ProvenanceView.as_view(), name="fact-provenance"),
    path("facts/<str:fact_id>/derived", provenance.DerivedView.as_view(), name="fact-derived"),
    path("contradictions", contradictions.ContradictionsView.as_view(), name="contradictions"),
    path("contradictions/decisions", contradictions.DecisionsView.as_view(), name="contradiction-decisions"),
    path("predicates", contradictions.PredicatesView.as_view(), name="predicates"),
    path("rules", contradictions.RulesView.as_view(), name="rules"),
    path("consents", phi_api.ConsentsView.as_view(), name="consents"),
    path("consents/<path:consent_id>/withdraw", phi_api.WithdrawView.as_view(), name="consent-withdraw"),
    path("consents/<path:consent_id>/narrow", phi_api.NarrowView.as_view(), name="consent-narrow"),
]
