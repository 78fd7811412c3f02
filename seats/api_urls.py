"""REST routes of a seat about itself."""

from django.urls import path

from seats.api import SeatView

urlpatterns = [path("seat", SeatView.as_view(), name="seat")]
