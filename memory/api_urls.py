"""REST routes of memory, inside a Space."""

from django.urls import path

from memory.facts import api, consent_api, contradiction_api, provenance_api

urlpatterns = [
    path("facts", api.FactsView.as_view(), name="facts"),
    path("facts/bulk", api.BulkView.as_view(), name="facts-bulk"),
    path("facts/import", api.ImportView.as_view(), name="facts-import"),
    path("facts/export", api.ExportView.as_view(), name="facts-export"),
    path("facts/<str:fact_id>", api.OneFactView.as_view(), name="fact"),
    path("facts/<str:fact_id>/supersede", api.SupersedeView.as_view(), name="fact-supersede"),
    path("facts/<str:fact_id>/still-true", provenance_api.StillTrueView.as_view(), name="fact-still-true"),
    path("facts/<str:fact_id>/provenance", provenance_api.ProvenanceView.as_view(), name="fact-provenance"),
    path("facts/<str:fact_id>/derived", provenance_api.DerivedView.as_view(), name="fact-derived"),
    path("contradictions", contradiction_api.ContradictionsView.as_view(), name="contradictions"),
    path("contradictions/decisions", contradiction_api.DecisionsView.as_view(), name="contradiction-decisions"),
    path("predicates", contradiction_api.PredicatesView.as_view(), name="predicates"),
    path("rules", contradiction_api.RulesView.as_view(), name="rules"),
    path("consents", consent_api.ConsentsView.as_view(), name="consents"),
    path("consents/<path:consent_id>/withdraw", consent_api.WithdrawView.as_view(), name="consent-withdraw"),
    path("consents/<path:consent_id>/narrow", consent_api.NarrowView.as_view(), name="consent-narrow"),
]
