"""The hint that tells the tick when to visit a Space."""

from datetime import timedelta
from typing import Any

from common.times import now
from spaces.hinting import due_by
from spaces.models import Space


def due(space: Any) -> Any:
    return Space.objects.values_list("next_due_at", flat=True).get(pk=space.pk)


def test_a_space_is_due_at_the_earliest_time_that_was_named(new_space: Any):
    north, south = new_space("north"), new_space("south")
    at = now()
    for minutes, expected in [(30, 30), (60, 30), (30, 30), (5, 5), (10, 5)]:
        due_by(north.pk, at + timedelta(minutes=minutes))
        assert due(north) == at + timedelta(minutes=expected)
    assert due(south) is None


def test_a_space_that_was_visited_may_be_due_again(new_space: Any):
    north = new_space("north")
    at = now()
    due_by(north.pk, at)
    Space.objects.filter(pk=north.pk).update(next_due_at=None)
    due_by(north.pk, at + timedelta(hours=1))
    assert due(north) == at + timedelta(hours=1)
