"""Where events and concepts stand among the fragments: seen early, and never in the place of evidence."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

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
        (candidate, account, sorted(ranks[identity] for identity in candidate.members if identity in ranks))
        for candidate, account in sorted(higher, key=lambda pair: (-pair[1].total, pair[0].id))
    ]
    order: list[Ranked] = []
    for rank, fragment in enumerate(fragments):
        order.append(fragment)
        following = fragments[rank + 1].score if rank + 1 < len(fragments) else 0.0
        if (rank + 1) % FRAGMENTS_EACH == 0:
            for place, (_, account, own_ranks) in enumerate(waiting):
                if account.total >= following and (not own_ranks or own_ranks[0] <= rank):
                    order.append(_behind(order, *waiting.pop(place), fragments))
                    break
    for candidate, account, own_ranks in waiting:
        order.append(_behind(order, candidate, account, own_ranks, fragments))
    return order


def _behind(
    order: Sequence[Ranked], candidate: Candidate, account: Account, own_ranks: list[int], fragments: Sequence[Ranked]
) -> Ranked:
    account = replace(account, limit=order[-1].score) if order and account.total > order[-1].score else account
    named = {item.id for item in order}
    best = [fragments[rank].id for rank in own_ranks if fragments[rank].id in named]
    return Ranked(candidate.id, candidate.layer, account.total, account, tuple(best[:BEST_FRAGMENTS]))
