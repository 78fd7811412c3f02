"""The desk's own pages."""

from django.urls import path

from desk import home

urlpatterns = [
    path("", home.start, name="start"),
    path("spaces/<slug:space>/", home.space_home, name="space_home"),
]
