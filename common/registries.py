"""What rooms tell the rest of the house at start, so that nobody needs to import them."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

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
    """A page in the navigation of a Space; `view` is the name of its URL, `within` names pages that lie below it.

    `count` is called inside the Space with what the page is bound to (`spaces.access.Binding`), on every page that is
    bound to a scope: how many things wait there, and whether there are more than it counts. `is_due` says that they
    wait for a person's decision.
    """

    label: str
    view: str
    group: str
    key: str
    roles: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    count: Callable[[Any], tuple[int, bool]] | None = None
    is_due: bool = False

    def url(self, space: str) -> str:
        """The page's address in the Space with the slug `space`."""
        return reverse(self.view, args=[space])


navigation: Registry[NavigationItem] = Registry("page in the navigation")


@dataclass(frozen=True)
class HomeFigure:
    """A number on the home page of a Space, and where it leads; `url` is empty where no page shows the same."""

    label: str
    number: str
    note: str
    url: str = ""


@dataclass(frozen=True)
class HomePart:
    """What a room shows on the home page: figures, and a template that is given `context` as `part`."""

    figures: tuple[HomeFigure, ...]
    template: str
    context: Mapping[str, object]


home_cards: Registry[Callable[[Any], HomePart]] = Registry("part of the home page")
"""Called with the page's `spaces.pages.Here`, inside the Space."""

actor_names: Registry[Callable[[Iterable[str]], Mapping[str, str]]] = Registry("kind of actor")
"""For a kind of actor (person, seat): the names of those with these ids; who is gone is left out."""

instance_ticks: Registry[Callable[[], object]] = Registry("tick of the instance")
"""Work that looks at the control database or the disk; called at every tick."""

space_ticks: Registry[Callable[[], object]] = Registry("tick of a Space")
"""Work inside one Space; called within it when it is due, and for all Spaces every 15 minutes."""

secret_finders: Registry[Callable[[str], bool]] = Registry("finder of secrets")
"""Each tells whether it finds a secret in a text; what many read is asked of all of them."""

companions: Registry[Callable[[threading.Event], object]] = Registry("companion")
"""What runs beside the pages of `up` in a thread of its own, until the event it is given is set."""
