"""Telling the tick when a Space has something to do."""

import uuid
from datetime import datetime

from django.db.models import Q

from spaces.models import Space


def due_by(space_id: uuid.UUID, at: datetime) -> None:
    """See to it that the tick visits the Space at `at` or before; an earlier hint stays.

    A hint alone: one that is lost is made good by the sweep.
    """
    Space.objects.filter(Q(next_due_at=None) | Q(next_due_at__gt=at), pk=space_id).update(next_due_at=at)
