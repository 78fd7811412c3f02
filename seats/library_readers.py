"""The seats that have the Library: those of which a token opens it."""

from django.db.models import Q

from common.times import now
from library.readers import Reader, library_readers
from seats.models import Seat, SeatToken
from spaces.models import Space

_VERB = "library:read"


def register() -> None:
    """Tell the Library who its seats are."""
    library_readers.add("seats", seats_that_read)


def seats_that_read(space: Space) -> list[Reader]:
    """The seats of a Space with a token in force that reads the Library."""
    in_force = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now()))
    tokens = SeatToken.objects.filter(in_force, seat__space=space, verbs__contains=[_VERB])
    seats = Seat.objects.filter(pk__in=tokens.values("seat")).select_related("project")
    return [Reader(seat.name, f"{seat.kind} of {seat.project.slug}") for seat in seats]
