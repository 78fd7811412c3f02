"""Where the pages of memories and sessions stand in the navigation."""

from common.registries import NavigationItem, navigation

GROUP = "What it remembers"
_MEMORY = (
    *("one_memory_page", "memory_forget", "memory_forgotten", "decay_page", "correct_memory", "merge_memory"),
    *("sessions_page", "session_page", "session_line", "transcript_import_page", "transcript_progress"),
)


def register_pages() -> None:
    """Tell the house about the memory and its graph."""
    navigation.add("memory", NavigationItem("Memory", "memory_page", GROUP, "m", within=frozenset(_MEMORY)))
    within = frozenset({"memory_graph"})
    navigation.add("graph", NavigationItem("Graph", "graph_page", GROUP, "n", within=within))
