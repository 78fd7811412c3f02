"""The REST routes of the room, under /api/v1/."""

from django.urls import path

from domains.api import context, domains, evidence, keys, log

urlpatterns = [
    path("domains", domains.DomainsView.as_view(), name="domains"),
    path("domains/<slug:domain>", domains.OneDomainView.as_view(), name="domain"),
    path("domains/<slug:domain>/members", domains.MembersView.as_view(), name="domain-members"),
    path("domains/<slug:domain>/retire", domains.RetireView.as_view(), name="domain-retire"),
    path("domains/<slug:domain>/context", context.ContextView.as_view(), name="domain-context"),
    path("domains/<slug:domain>/context/revisions", context.RevisionsView.as_view(), name="domain-revisions"),
    path(
        "domains/<slug:domain>/context/revisions/<int:number>",
        context.OneRevisionView.as_view(),
        name="domain-revision",
    ),
    path("domains/<slug:domain>/log", log.LogView.as_view(), name="domain-log"),
    path("domains/<slug:domain>/keys", keys.KeysView.as_view(), name="domain-keys"),
    path("domains/<slug:domain>/keys/<str:name>", keys.OneKeyView.as_view(), name="domain-key"),
    path("domains/<slug:domain>/keys/<str:name>/reveal", keys.RevealView.as_view(), name="domain-key-reveal"),
    path("domains/<slug:domain>/evidence", evidence.EvidenceView.as_view(), name="domain-evidence"),
    path(
        "domains/<slug:domain>/evidence/<uuid:evidence_id>",
        evidence.OneEvidenceView.as_view(),
        name="domain-evidence-one",
    ),
]
