"""What each `type` of a problem document means: the pages that `/problems/<code>` leads to."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from common.problem_types import problem_types


@require_safe
def problems(request: HttpRequest) -> HttpResponse:
    """All kinds, by status."""
    return render(request, "desk/problems.html", {"problems": problem_types()})


@require_safe
def problem(request: HttpRequest, code: str) -> HttpResponse:
    """One kind; 404 for a code that no answer has."""
    found = next((kind for kind in problem_types() if kind.code == code), None)
    if found is None:
        raise Http404
    return render(request, "desk/problem.html", {"problem": found})
