"""The API reference, rendered by us from our own OpenAPI description; it names routes and holds no data."""

from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from desk.operations import Group, groups_of


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every operation with its parameters, its body, its answers and an example for a shell."""
    return render(request, "desk/reference.html", {"groups": _groups(), "origin": settings.KNDL.origin})


@cache
def _groups() -> list[Group]:
    """Worked out once a process: the routes stay as they are while it runs."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    description: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return groups_of(description, settings.KNDL.origin)
