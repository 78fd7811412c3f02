"""One person, one name: first names, full names and short names that can only mean the same one."""

from collections.abc import Iterable, Mapping

_SHORTEST_NICKNAME = 2


def full_names(people: Iterable[str], known: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return, for each first name among `people`, the one full name in the batch or the scope that begins with it.

    Names are in small letters. A first name that begins two full names stands for neither.
    """
    names = set(people) | {lower for lower, (type_name, _) in known.items() if type_name == "Person"}
    beginning: dict[str, list[str]] = {}
    for name in sorted(names):
        first, _, rest = name.partition(" ")
        if rest:
            beginning.setdefault(first, []).append(name)
    return {first: full[0] for first, full in beginning.items() if first in names and len(full) == 1}


def canonical(name: str, full: Mapping[str, str], known: Mapping[str, tuple[str, str]]) -> str:
    """Return the form under which a person goes, in small letters: the scope's own, else the full name."""
    longest = full.get(name, name)
    first = longest.partition(" ")[0]
    same = (name, longest, first) if full.get(first) == longest else (name,)
    return next((form for form in same if form in known), longest)


def nicknames(people: Iterable[str], speakers: Iterable[str]) -> dict[str, str]:
    """Return, for names that shorten the first name of exactly one speaker (Deb, Debs for Deborah), that speaker."""
    everyone = sorted(speakers)
    found = {}
    for name in people:
        short = name.removesuffix("s") if len(name) > _SHORTEST_NICKNAME else name
        meant = [speaker for speaker in everyone if speaker.startswith(short)]
        if name not in everyone and len(short) >= _SHORTEST_NICKNAME and len(meant) == 1 and " " not in name:
            found[name] = meant[0]
    return found
