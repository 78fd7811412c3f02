"""Pages about Spaces and their people."""

from django.urls import path

from spaces import people_pages, purpose_pages, space_pages

_PEOPLE = "spaces/<slug:space>/people"

urlpatterns = [
    path("spaces/new", space_pages.new_space, name="space_new"),
    path("spaces/<slug:space>/purpose", purpose_pages.choose_purpose, name="purpose"),
    path(_PEOPLE, people_pages.people, name="people"),
    path(f"{_PEOPLE}/invite", people_pages.invite, name="people_invite"),
    path(f"{_PEOPLE}/invitations/<uuid:invitation>/take-back", people_pages.take_back, name="people_take_back"),
    path(f"{_PEOPLE}/<uuid:person>/role", people_pages.set_role, name="people_role"),
    path(f"{_PEOPLE}/<uuid:person>/remove", people_pages.remove, name="people_remove"),
    path(f"{_PEOPLE}/<uuid:person>/invite", people_pages.invite_to_sign_in, name="people_invite_member"),
]
