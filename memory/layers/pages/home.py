"""What the layers put on the home page of a Space."""

from urllib.parse import urlencode

from django.urls import reverse

from common.registries import HomeFigure, HomePart, home_cards
from common.times import now
from memory.facts.pages.home import own_and_shared, since_midnight
from memory.layers.review import count_waiting
from memory.layers.showing_home import at_work, learnt_since
from spaces.access import Binding
from spaces.pages import Here

_MOST_WAITING = 99


def register_card() -> None:
    """Tell the house what is learnt and at work; in the reader's own scopes and the shared ones, as facts are."""
    home_cards.add("layers", home_part)


def home_part(here: Here) -> HomePart:
    """What was learnt since midnight, what waits for review, and when distillation and decay were and will be at work.

    Nothing for a Space in which nothing was ever said.
    """
    binding, everything = own_and_shared(here)
    at = now()
    work = at_work(binding, at)
    context: dict[str, object] = {
        "work": work,
        "is_live": work.last_run is not None or work.open_run is not None or work.next_run_at is not None,
        "is_due": work.next_run_at is not None and work.next_run_at <= at,
        "distillation": _address(here, "distillation_page", everything),
        "decay": _address(here, "decay_page", everything),
    }
    figures = _figures(here, binding, everything) if context["is_live"] else ()
    return HomePart(figures, "memory/layers/home.html", context)


def _figures(here: Here, binding: Binding, everything: str) -> tuple[HomeFigure, ...]:
    learnt, more = learnt_since(binding, since_midnight(now(), here.space.zone))
    note = f"by the clock of {here.space.zone}"
    memory = _address(here, "memory_page", everything) if everything else ""
    figures = [HomeFigure("Memories learnt since midnight", f"{learnt:,}{'+' if more else ''}", note, memory)]
    if waiting := count_waiting(binding, _MOST_WAITING + 1):
        number = f"{_MOST_WAITING}+" if waiting > _MOST_WAITING else str(waiting)
        review = _address(here, "review_page", everything) if everything else ""
        figures.append(HomeFigure("Proposals waiting", number, "for a person to approve or refuse", review))
    return tuple(figures)


def _address(here: Here, view: str, scope: str) -> str:
    address = reverse(view, args=[here.space.slug])
    return f"{address}?{urlencode({'scope': scope})}" if scope else address
