"""Django's admin for those who govern the instance: the control tables, to look at. Nothing is changed here.

What changes a thing is one function with its audit row; pages and REST call it, and the admin would go past it.
"""

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse

from accounts.models import User
from accounts.second_factor import holds_second_factor
from spaces.access import GOVERNING
from spaces.models import Membership, Space

if TYPE_CHECKING:
    _ModelAdmin = ModelAdmin[Model]
else:
    _ModelAdmin = ModelAdmin

# Django's own ways to sign in and to change a password go past allauth, its limits and the audit.
_LEFT_OUT = frozenset({"password_change", "password_change_done", "autocomplete", "view_on_site"})


class InstanceAdmin(AdminSite):
    """The admin of owners and admins of the instance, who must hold a second factor."""

    site_header = site_title = "Kndl admin"
    index_title = "Control tables"
    index_template = "desk/admin_index.html"
    site_url = "/"
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return isinstance(user, User) and user.is_staff and holds_second_factor(user)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Where Django sends whoever may not enter: to sign in, to set up a second factor, or nowhere."""
        user = request.user
        if not isinstance(user, User):
            return redirect_to_login(request.GET.get("next", "/admin/"))
        if user.is_staff and not holds_second_factor(user):
            messages.warning(request, "The admin takes a second factor. Set one up; after that it opens.")
            return redirect("mfa_index")
        raise PermissionDenied

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Where one signs out of the rest of Kndl."""
        return redirect("account_logout")

    def get_urls(self) -> list[Any]:
        return [pattern for pattern in super().get_urls() if getattr(pattern, "name", None) not in _LEFT_OUT]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The tables, and the views of those Spaces in which the reader has a role that governs."""
        roles = Membership.objects.filter(user=request.user.pk, role__in=GOVERNING)
        spaces = Space.objects.filter(state=Space.State.READY, pk__in=roles.values("space")).order_by("name")
        return super().index(request, {"governed": spaces, **(extra_context or {})})


class Shown(_ModelAdmin):
    """A table that can be looked at and not changed."""

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True  # whoever has come so far passed `has_permission` of the site

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        if request.method not in {"GET", "HEAD"}:
            raise PermissionDenied
        return super().changeform_view(request, object_id, form_url, extra_context)

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None) -> Any:
        raise PermissionDenied
