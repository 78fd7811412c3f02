"""The JSON-LD context, for whoever reads an export."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from memory.facts.exporting import context_document


@require_safe
def context(request: HttpRequest) -> JsonResponse:
    """Public: it says what the words of a fact mean, and nothing of any fact."""
    return JsonResponse(context_document(), content_type="application/ld+json")
