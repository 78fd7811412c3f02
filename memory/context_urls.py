"""What memory answers outside any Space."""

from django.urls import path

from memory.facts.api.context import context

urlpatterns = [path("context/v1.jsonld", context, name="context")]
