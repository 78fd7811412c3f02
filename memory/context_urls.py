"""What memory answers outside any Space."""

from django.urls import path

from memory.facts.context_api import context

urlpatterns = [path("context/v1.jsonld", context, name="context")]
