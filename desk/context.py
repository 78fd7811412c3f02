"""What the frame around every page shows: the Space, the scope, the navigation, the reader."""

from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django_htmx.middleware import HtmxDetails

from accounts.models import User
from common.registries import NavigationItem, navigation
from common.times import now
from common.version import VERSION
from spaces.access import EVERY_SCOPE, visible_scopes
from spaces.databases.entering import NoSpaceEntered, lost_since
from spaces.models import Membership, Space
from spaces.pages import Here
from spaces.purposes import PURPOSES

THEMES = ("system", "light", "dark")
THEME_COOKIE = "kndl_theme"
# The order of the navigation; a group of another title comes after these.
GROUPS = (
    "",
    "What it remembers",
    "What it holds true",
    "What it learnt to do",
    "What seats are given",
    "Governance",
)


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context of `base.html`. For a stranger: the theme and the version, and nothing else."""
    theme = request.COOKIES.get(THEME_COOKIE, "system")
    found: dict[str, Any] = {
        "theme": theme if theme in THEMES else "system",
        "version": VERSION,
        "read_at": now(),
        "person": request.user if hasattr(request, "user") else None,
        "frame_template": "frame_part.html" if _wants_part(request) else "frame.html",
    }
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return found
    memberships = list(Membership.objects.filter(user=user).select_related("space").order_by("space__name"))
    here: Here | None = getattr(request, "kndl_here", None)
    space = here.space if here else _named_space(request, memberships)
    found["spaces"] = [
        {"slug": m.space.slug, "name": m.space.name, "role": m.role, "reachable": lost_since(m.space_id) is None}
        for m in memberships
        if m.space.state == Space.State.READY
    ]
    if user.governs_instance:
        found["new_space_url"] = reverse("space_new")
    if space is None:
        return found
    role = next((m.role for m in memberships if m.space_id == space.pk), "")
    lost = lost_since(space.pk)
    found |= {
        "space": space,
        "zone": space.zone,
        "role": role,
        "lost": {"name": space.name, "slug": space.slug, "since": lost, "retry_after": 5},
        "navigation": _navigation(request, space, role, here),
    }
    if here and here.binding:
        scope = EVERY_SCOPE if here.binding.every else here.binding.scopes[0].name
        found |= {"purpose": here.binding.purpose, "purposes": PURPOSES}
        found |= {"scope": scope, "scope_query": f"?{urlencode({'scope': scope})}"}
        found["scopes"] = list(visible_scopes(here.caller, space).order_by("name").values_list("name", flat=True))
    return found


def _wants_part(request: HttpRequest) -> bool:
    """Whether htmx asks for what goes into `#main`, and not for a whole page to go back to."""
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not htmx.history_restore_request


def _named_space(request: HttpRequest, memberships: list[Membership]) -> Space | None:
    """The Space of the address, for an error page that was made before it was entered."""
    match = request.resolver_match
    slug = match.kwargs.get("space") if match else None
    return next((m.space for m in memberships if m.space.slug == slug), None)


def _navigation(request: HttpRequest, space: Space, role: str, here: Here | None) -> list[dict[str, Any]]:
    """The groups in their order, each with the pages that `role` may open, home first, then as the rooms named them."""
    groups: dict[str, list[dict[str, Any]]] = {title: [] for title in GROUPS}
    for _, item in sorted(navigation, key=lambda page: page[0] != "home"):
        if not item.roles or role in item.roles:
            groups.setdefault(item.group, []).append(_shown(request, space, item, here))
    return [{"title": title, "items": items} for title, items in groups.items() if items]


def _shown(request: HttpRequest, space: Space, item: NavigationItem, here: Here | None) -> dict[str, Any]:
    match = request.resolver_match
    name = match.view_name if match else ""
    return {
        "label": item.label,
        "url": item.url(space.slug),
        "key": item.key,
        "current": name == item.view or name in item.within,
        "waiting": partial(_waiting, item, here),
        "due": item.is_due,
    }


def _waiting(item: NavigationItem, here: Here | None) -> str:
    """How many things wait on a page, such as "4" or "50+"; counted when the navigation is drawn, inside the Space."""
    if item.count is None or here is None or here.binding is None:
        return ""
    with suppress(NoSpaceEntered):
        number, more = item.count(here.binding)
        return f"{number:,}{'+' if more else ''}" if number else ""
    return ""
