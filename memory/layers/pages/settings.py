"""The page of the layers' settings: what holds, what a change would do, and saving it."""

from collections.abc import Mapping
from typing import Any

import rules
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from accounts.confirming import require_confirmation
from common.errors import Forbidden, Invalid, KndlError, Stale
from common.times import now
from memory.layers.decay import next_pass_at
from memory.layers.models import LayerSettings
from memory.layers.pages.memory_acts import refused
from memory.layers.pages.settings_form import (
    DISTILLERS,
    DISTILLING,
    LASTING,
    SWITCHES,
    VERSION,
    changed,
    changes_in_words,
    numbers,
    sent,
)
from memory.layers.rules.passes import asks_first
from memory.layers.settings import change_settings, consequences, layer_settings
from memory.layers.showing_embedding import chosen_embedder, embedding_of_space
from spaces.databases.transactions import attempted
from spaces.models import Membership
from spaces.pages import Here, space_page

_PREVIEW = "preview"


@require_safe
@space_page("memory:read")
def layer_settings_page(request: HttpRequest, here: Here) -> HttpResponse:
    """The settings; with `?preview=` what a change would do at the next decay pass, before it is saved."""
    settings = layer_settings()
    form = request.GET if _PREVIEW in request.GET else QueryDict()
    error: KndlError | None = None
    context: dict[str, Any] = {}
    if form:
        try:
            context = _previewed(here, form, settings)
        except Invalid as fault:
            error = fault
    return _shown(request, here, settings, form, context, error)


@require_POST
@space_page("layers:govern")
def layer_settings_save(request: HttpRequest, here: Here) -> HttpResponse:
    """Save a change that was looked at; whoever does has just proved that it is them."""
    require_confirmation(request)
    try:
        given = sent(request.POST)
        version = int(number) if (number := request.POST.get(VERSION, "")).isdecimal() else None
        attempted(lambda act: change_settings(act, here.caller, here.space, given, now(), version=version))
    except Invalid as error:
        return _shown(request, here, layer_settings(), request.POST, {}, error)
    except (Stale, Forbidden) as error:
        refused(request, here, error)
    else:
        messages.success(request, "Settings saved.")
    return redirect(reverse("layer_settings_page", args=[here.space.slug]))


def _previewed(here: Here, form: QueryDict, settings: LayerSettings) -> dict[str, Any]:
    changes = changed(sent(form), settings)
    at = next_pass_at(here.space, now())
    layers = consequences(changes, at)
    return {
        "is_preview": True,
        "changes": changes_in_words(changes, settings),
        "consequences": [(layer, asks_first(layer.would_go, layer.live)) for layer in layers],
        "next_pass_at": at,
        "sends_phi": bool(changes.get("phi_to_model")),
    }


def _shown(
    request: HttpRequest,
    here: Here,
    settings: LayerSettings,
    form: QueryDict,
    more: Mapping[str, Any],
    error: KndlError | None,
) -> HttpResponse:
    faults = {fault.field: fault.detail for fault in error.errors} if error else {}
    may_govern = rules.test_rule("layers:govern", here.caller, here.space)
    context: dict[str, Any] = {
        "settings": settings,
        "lasting": list(numbers(LASTING, settings, form, faults)),
        "distilling": list(numbers(DISTILLING, settings, form, faults)),
        "switches": [
            (name, label, name in form if form else getattr(settings, name)) for name, label in SWITCHES.items()
        ],
        "distillers": DISTILLERS,
        "distiller": form.get("distiller", settings.distiller) if form else settings.distiller,
        "may_govern": may_govern,
        "is_owner": here.caller.role_in(here.space) == Membership.Role.OWNER,
        "sent": [(name, value) for name, value in form.items() if name not in {_PREVIEW, "csrfmiddlewaretoken"}],
        "error": error,
        "faults": faults,
        "embedder": chosen_embedder(),
        "embedding": embedding_of_space() if may_govern else None,
    }
    response = render(
        request, "memory/layers/settings.html", {**context, **more}, status=error.status if error else 200
    )
    patch_vary_headers(response, ["HX-Request"])
    return response
