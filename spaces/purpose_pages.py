"""Choosing what one acts for."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from common.errors import Invalid
from spaces.pages import PURPOSE, Here, space_page
from spaces.purposes import PURPOSES


@require_POST
@space_page("space:read", enters=False)
def choose_purpose(request: HttpRequest, here: Here) -> HttpResponse:
    """Keep the purpose for the session, and go back to the page it was chosen on."""
    purpose = request.POST.get("purpose", "")
    if purpose and purpose not in PURPOSES:
        raise Invalid("There is no such purpose.", field="purpose")
    request.session[PURPOSE] = purpose
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        return redirect("space_home", here.space.slug)
    return redirect(back)
