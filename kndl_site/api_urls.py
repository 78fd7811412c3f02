"""The REST routes, under /api/v1/."""

from django.urls import include, path
from drf_spectacular.views import SpectacularJSONAPIView

from desk.reference import reference

urlpatterns = [
    path("", reference, name="api-reference"),
    path("openapi.json", SpectacularJSONAPIView.as_view(), name="openapi"),
    path("", include("seats.api_urls")),
    path("", include("memory.context_urls")),
    path("", include("library.api_urls")),
    path("", include("domains.api_urls")),
    path("spaces/<slug:space>/", include("memory.api_urls")),
    path("spaces/<slug:space>/", include("memory.kip.api_urls")),
]
