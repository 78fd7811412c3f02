"""Pages of facts."""
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from spaces.pages import Here, space_page


@space_page("facts:read", scoped=True)
def facts(request: HttpRequest, here: Here) -> HttpResponse:
    return render(request, "memory/facts.html", {})
