"""The pages of the room, under /spaces/<space>/."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
