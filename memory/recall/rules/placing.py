"""Where events and concepts stand among the fragments: seen early, and never in the place of evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memory.recall.rules.candidates import Account, Candidate, Ranked

FRAGMENTS_EACH = 3
BEST_FRAGMENTS = 2


def placed(fragments: Sequence[Ranked], higher: Iterable[tuple[Candidate, Account]]) -> list[Ranked]:
    """Return the ranked fragments, their order kept, with the events and concepts among them.

    One of layer 2 or 3 stands where its score says, yet behind one of its own fragments if any is a candidate, and one
    behind each three fragments at most; a score above the item before it is held down to that one's. So the lines it
    stands for have been named before it, and it takes no place among the first lines of evidence. Those that find no
    place come last.
    """
    ranks = {item.id: rank for rank, item in enumerate(fragments)}
    waiting = [
        _Waiting(
            Ranked(candidate.id, candidate.layer, account.total, account),
            sorted(ranks[identity] for identity in candidate.members if identity in ranks),
        )
        for candidate, account in higher
    ]
    waiting.sort(key=lambda one: (-one.item.score, one.item.id))
    order: list[Ranked] = []
    for rank, fragment in enumerate(fragments):
        order.append(fragment)
        if (rank + 1) % FRAGMENTS_EACH == 0:
            following = fragments[rank + 1].score if rank + 1 < len(fragments) else 0.0
            chosen = next((one for one in waiting if one.may_stand(rank, following)), None)
            if chosen is not None:
                waiting.remove(chosen)
                order.append(chosen.behind(order[-1], fragments[: rank + 1]))
    for one in waiting:
        order.append(one.behind(order[-1] if order else None, fragments))
    return order


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An event or concept that has no place yet, and at which ranks its own fragments stand."""

    item: Ranked
    ranks: list[int]

    def may_stand(self, rank: int, following: float) -> bool:
        return self.item.score >= following and (not self.ranks or self.ranks[0] <= rank)

    def behind(self, last: Ranked | None, named: Sequence[Ranked]) -> Ranked:
        best = tuple(named[rank].id for rank in self.ranks[:BEST_FRAGMENTS] if rank < len(named))
        account = self.item.account
        if last is not None and self.item.score > last.score:
            account = replace(account, limit=last.score)
        return Ranked(self.item.id, self.item.layer, account.total, account, best)
