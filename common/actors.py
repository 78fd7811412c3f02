"""Who did something, in words: facts and audit rows hold `kind:id`, pages show a name."""

from collections import defaultdict
from collections.abc import Iterable

from common.registries import actor_names

SYSTEM_NAME = "Kndl"
_SHORT = 8


def shown_names(actors: Iterable[str]) -> dict[str, str]:
    """How each of these actors is shown, with one query a kind.

    The kind goes before the name of a seat; who has no name any more is shown by kind and the first digits of the id.
    """
    ids: dict[str, set[str]] = defaultdict(set)
    known = set(actors)
    for actor in known:
        kind, _, name = actor.partition(":")
        ids[kind].add(name)
    names = {(kind, key): name for kind, find in actor_names if kind in ids for key, name in find(ids[kind]).items()}
    return {actor: _shown(*actor.partition(":")[::2], names) for actor in known}


def _shown(kind: str, key: str, names: dict[tuple[str, str], str]) -> str:
    if kind == "system":
        return SYSTEM_NAME
    name = names.get((kind, key))
    if name is None:
        return f"{kind} {key[:_SHORT]}".strip()
    return name if kind == "person" else f"{kind} {name}"
