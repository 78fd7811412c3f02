"""The control tables in Django's admin: which columns are shown, and which never are (secrets, and hashes of them)."""

from typing import ClassVar
from urllib.parse import urlsplit

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.models import User
from audit.models import AuditRow
from desk.admin_site import InstanceAdmin, Shown
from seats.models import Seat, SeatToken
from spaces.models import Assistant, Heartbeat, Invitation, Membership, Operation, Project, Scope, Space

site = InstanceAdmin()


@admin.register(User, site=site)
class Users(Shown):
    list_display = ("name", "email", "instance_role", "is_active", "joined_at")
    list_filter = ("instance_role", "is_active")
    search_fields = ("name", "email")
    ordering = ("name",)
    fields = ("id", "name", "email", "instance_role", "is_active", "joined_at", "last_login")


@admin.register(Space, site=site)
class Spaces(Shown):
    list_display = ("name", "slug", "state", "zone", "server", "made_at")
    list_filter = ("state",)
    search_fields = ("name", "slug")
    ordering = ("name",)
    fields = ("id", "name", "slug", "zone", "state", "server", "next_due_at", "made_at")

    @admin.display(description="Server")
    def server(self, space: Space) -> str:
        """Where its database is; the address may hold a password, so its host alone."""
        return urlsplit(space.database_url).hostname or "our own"


@admin.register(Membership, site=site)
class Memberships(Shown):
    list_display = ("user", "space", "role", "since")
    list_filter = ("role", "space")
    list_select_related = ("user", "space")
    search_fields = ("user__name", "user__email", "space__name")


@admin.register(Scope, site=site)
class Scopes(Shown):
    list_display = ("name", "space", "assistant", "owner")
    list_filter = ("space",)
    list_select_related = ("space", "assistant", "owner")
    search_fields = ("name",)


@admin.register(Assistant, site=site)
class Assistants(Shown):
    list_display = ("name", "space")
    list_filter = ("space",)
    list_select_related = ("space",)
    search_fields = ("name",)


@admin.register(Project, site=site)
class Projects(Shown):
    list_display = ("name", "slug", "space")
    list_filter = ("space",)
    list_select_related = ("space",)
    search_fields = ("name", "slug")


@admin.register(Invitation, site=site)
class Invitations(Shown):
    list_display = ("id", "email", "space", "role", "instance_role", "made_by", "expires_at", "used_at", "revoked_at")
    list_select_related = ("space", "made_by")
    ordering = ("-made_at",)
    exclude = ("secret_hash",)


@admin.register(Operation, site=site)
class Operations(Shown):
    list_display = ("kind", "subject", "started_at", "attempts", "done_at")
    list_filter = ("kind",)
    ordering = ("-started_at",)


@admin.register(Heartbeat, site=site)
class Heartbeats(Shown):
    list_display = ("name", "at")


@admin.register(Seat, site=site)
class Seats(Shown):
    list_display = ("name", "space", "scope", "project", "kind", "client", "made_at")
    list_filter = ("space", "kind", "client")
    list_select_related = ("space", "scope", "project")
    search_fields = ("name",)


@admin.register(SeatToken, site=site)
class SeatTokens(Shown):
    list_display = ("hint", "seat", "made_at", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("seat",)
    ordering = ("-made_at",)
    exclude = ("secret_hash",)


@admin.register(AuditRow, site=site)
class AuditRows(Shown):
    """The chain of the control database; those of Spaces are in their databases, for those who govern them."""

    list_display = ("sequence", "at", "actor_kind", "actor_id", "act", "object", "outcome")
    list_filter = ("outcome", "actor_kind", "act")
    search_fields = ("actor_id", "object", "act")
    ordering = ("-sequence",)
    exclude = ("mark",)
    readonly_fields: ClassVar[tuple[str, ...]] = ("signed",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditRow]:
        return AuditRow.objects.using("default")

    @admin.display(description="Mark")
    def signed(self, row: AuditRow) -> str:
        return bytes(row.mark).hex()
