"""Views of a Space's memory, under /admin/spaces/<slug>/."""

from django.urls import path

from memory import admin_views

urlpatterns = [
    path("contradictions", admin_views.contradictions, name="admin_contradictions"),
    path("facts/<str:fact_id>/provenance", admin_views.provenance, name="admin_provenance"),
    path("phi", admin_views.phi, name="admin_phi"),
]
