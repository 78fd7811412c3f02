"""The pages of the room, under /spaces/<space>/."""

from django.urls import path

from domains.pages import (
    context,
    evidence,
    keys,
    listing,
    log,
    members,
    one,
    retiring,
    revisions,
    rights,  # noqa: F401 - registers who may come here
)

_ONE = "domains/<slug:domain>"

urlpatterns = [
    path("domains", listing.domains_page, name="domains_page"),
    path("domains/new", members.new, name="domain_new"),
    path(_ONE, one.domain_page, name="domain_page"),
    path(f"{_ONE}/access", one.access_page, name="domain_access"),
    path(f"{_ONE}/members", members.members_page, name="domain_members"),
    path(f"{_ONE}/retire", retiring.retire, name="domain_retire"),
    path(f"{_ONE}/context", context.rewrite, name="domain_rewrite"),
    path(f"{_ONE}/revisions", revisions.revisions_page, name="domain_revisions"),
    path(f"{_ONE}/revisions/difference", revisions.difference_page, name="domain_difference"),
    path(f"{_ONE}/revisions/<int:number>", revisions.revision_page, name="domain_revision"),
    path(f"{_ONE}/log", log.log_page, name="domain_log"),
    path(f"{_ONE}/keys/set", keys.set_page, name="domain_key_set"),
    path(f"{_ONE}/keys/<str:name>/reveal", keys.reveal_page, name="domain_key_reveal"),
    path(f"{_ONE}/keys/<str:name>/delete", keys.delete_page, name="domain_key_delete"),
    path(f"{_ONE}/evidence", evidence.evidence_page, name="domain_evidence"),
    path(f"{_ONE}/evidence/<uuid:number>", evidence.one_page, name="domain_evidence_one"),
]
