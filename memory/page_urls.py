"""Pages of memory, inside a Space."""

from django.urls import path

from memory.facts import page_fact, page_import, page_writing, pages

urlpatterns = [
    path("facts", pages.facts, name="facts_page"),
    path("facts/new", page_writing.new_fact, name="fact_new"),
    path("facts/import", page_import.import_page, name="facts_import"),
    path("facts/<str:fact_id>", page_fact.fact, name="fact_page"),
    path("facts/<str:fact_id>/supersede", page_writing.supersede, name="fact_supersede"),
]
