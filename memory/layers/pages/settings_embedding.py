"""What the buttons under the embedder do: begin a move to another one, or stop it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.confirming import require_confirmation
from audit.recording import Act
from common.errors import Conflict, Invalid, NotFound
from memory.layers.models import Reembedding
from memory.layers.pages.memory_acts import refused
from memory.layers.reembedding import begin, running_job, stop
from memory.layers.tasks import send_reembedding
from spaces.databases.transactions import attempted
from spaces.pages import Here, space_page

_LONGEST = 200


@require_POST
@space_page("layers:govern")
def embedding(request: HttpRequest, here: Here) -> HttpResponse:
    """Begin or stop; whoever does has just proved that it is them."""
    require_confirmation(request)
    try:
        if request.POST.get("act") == "stop":
            attempted(lambda act: _stop(act, here))
            messages.success(request, "Stopped. Scopes that have their new vectors keep them.")
        else:
            spec = request.POST.get("embedder", "").strip()[:_LONGEST]
            if not spec:
                raise Invalid("Name an embedder first.")
            job = attempted(lambda act: begin(act, here.caller, spec))
            send_reembedding(here.space.pk, job.pk)
            messages.success(request, f"Begun: memories get vectors of {job.embedder}.")
    except (Invalid, Conflict, NotFound) as error:
        refused(request, here, error)
    return redirect(f"{reverse('layer_settings_page', args=[here.space.slug])}#embedding")


def _stop(act: Act, here: Here) -> Reembedding:
    job = running_job()
    if job is None:
        raise NotFound("There is no move under way.")
    return stop(act, here.caller, job.pk)
