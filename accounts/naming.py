"""The names of people, for pages that show who did something."""

from collections.abc import Iterable

from accounts.models import User


def names_of_people(ids: Iterable[str]) -> dict[str, str]:
    """The names of the people with these ids."""
    return {str(key): name for key, name in User.objects.filter(pk__in=ids).values_list("pk", "name")}
