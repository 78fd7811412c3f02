"""Pages about the seats of a Space."""

from django.urls import path

from seats import pages

urlpatterns = [
    path("spaces/<slug:space>/seats", pages.seats, name="seats"),
    path("spaces/<slug:space>/seats/new", pages.new_seat, name="seats_new"),
    path("spaces/<slug:space>/seats/tokens/<uuid:token>/revoke", pages.revoke, name="seats_revoke"),
]
