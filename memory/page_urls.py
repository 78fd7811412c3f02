"""Pages of memory, inside a Space."""

from django.urls import path

from memory.facts import pages

urlpatterns = [
    path("facts", pages.facts, name="facts_page"),
]
