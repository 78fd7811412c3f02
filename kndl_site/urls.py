"""Where everything is."""

from django.urls import include, path

from desk.admin_tables import site
from kndl_site import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("accounts/", include("accounts.urls")),
    path("join/", include("spaces.join_urls")),
    path("api/v1/", include("kndl_site.api_urls")),
    path("", include("memory.kip.urls")),
    path("", include("seats.urls")),
    path("", include("spaces.page_urls")),
    path("", include("seats.page_urls")),
    path("spaces/<slug:space>/", include("memory.page_urls")),
    path("spaces/<slug:space>/", include("library.page_urls")),
    path("spaces/<slug:space>/", include("domains.page_urls")),
    path("admin/spaces/<slug:space>/", include("memory.admin_urls")),
    path("admin/", site.urls),
    path("", include("desk.urls")),
]

handler400 = "desk.error_pages.bad_request"
handler403 = "desk.error_pages.forbidden"
handler404 = "desk.error_pages.not_found"
handler500 = "kndl_site.failing.unexpected"
