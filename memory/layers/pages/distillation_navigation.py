"""Where the pages of distillation stand in the navigation, and what waits there."""

from typing import Any

from common.registries import NavigationItem, navigation
from memory.layers.pages.memory_navigation import GROUP
from memory.layers.review import count_waiting

_MOST = 99


def register_pages() -> None:
    """Tell the house about distillation and its review queue."""
    within = frozenset({"distillation_run", "distillation_undo", "review_page"})
    item = NavigationItem(
        "Distillation", "distillation_page", GROUP, "d", within=within, count=_waiting_proposals, is_due=True
    )
    navigation.add("distillation", item)
    within = frozenset({"layer_settings_save"})
    navigation.add("layers", NavigationItem("Settings", "layer_settings_page", "Governance", "x", within=within))


def _waiting_proposals(binding: Any) -> tuple[int, bool]:
    count = count_waiting(binding, _MOST + 1)
    return min(count, _MOST), count > _MOST
