"""The API reference, rendered by us from our own OpenAPI description."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def reference(request: HttpRequest) -> HttpResponse:
    return render(request, "desk/reference.html", {})
