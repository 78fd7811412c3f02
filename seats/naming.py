"""The names of seats, for pages that show who did something."""

from collections.abc import Iterable

from seats.models import Seat


def names_of_seats(ids: Iterable[str]) -> dict[str, str]:
    """The names of the seats with these ids."""
    return {str(key): name for key, name in Seat.objects.filter(pk__in=ids).values_list("pk", "name")}
