"""What rooms tell the rest of the house at start, so that nobody needs to import them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from django.urls import reverse

Item = TypeVar("Item")


@dataclass
class Registry(Generic[Item]):
    """Named things in the order in which they were added; a name is taken once."""

    what: str
    _items: dict[str, Item] = field(default_factory=dict)

    def add(self, name: str, item: Item) -> Item:
        """Add `item` under `name`. Raises ValueError for a name that is taken."""
        if name in self._items:
            raise ValueError(f"there is a {self.what} named {name} already")
        self._items[name] = item
        return item

    def __iter__(self) -> Iterator[tuple[str, Item]]:
        yield from self._items.items()

    def __getitem__(self, name: str) -> Item:
        return self._items[name]


@dataclass(frozen=True)
class NavigationItem:
    """A page in the navigation of a Space; `view` is the name of its URL, `within` names pages that lie below it."""

    label: str
    view: str
    group: str
    key: str
    roles: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()

    def url(self, space: str) -> str:
        """The page's address in the Space with the slug `space`."""
        return reverse(self.view, args=[space])


navigation: Registry[NavigationItem] = Registry("page in the navigation")

instance_ticks: Registry[Callable[[], object]] = Registry("tick of the instance")
"""Work that looks at the control database or the disk; called at every tick."""

space_ticks: Registry[Callable[[], object]] = Registry("tick of a Space")
"""Work inside one Space; called within it when it is due, and for all Spaces every 15 minutes."""
