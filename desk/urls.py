"""The desk's own pages."""

from django.urls import path

from desk import home, problems

urlpatterns = [
    path("", home.start, name="start"),
    path("problems/", problems.problems, name="problems"),
    path("problems/<slug:code>", problems.problem, name="problem"),
    path("spaces/<slug:space>/", home.space_home, name="space_home"),
]
