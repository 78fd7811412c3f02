"""The kinds of errors an answer may carry: `type` of a problem document is `/problems/<code>`, and `title` is here."""

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import cleandoc

from common.errors import KndlError


@dataclass(frozen=True)
class ProblemType:
    """A kind of error: `code` is the end of its type's address."""

    code: str
    status: int
    title: str
    meaning: str


# Kinds that are named where they are raised, more exact than the class of the error.
_EXACT = {
    "already_running": (409, "It runs already", "One move to another embedder at a time: wait until it is done."),
    "already_superseded": (409, "The fact is superseded already", "The member winner names the fact that did it."),
    "archived": (409, "The memory is archived", "Restore it first."),
    "busy": (503, "Busy", "There is more to do than can be done at the moment. Try again soon."),
    "confirmation_required": (403, "Confirm that it is you", "Prove it once more with password or second factor."),
    "crosses_spaces": (409, "The members are of several Spaces", "The owner confirms it with crosses: true."),
    "decided_meanwhile": (409, "Decided in the meantime", "Load the review again: somebody decided one of them."),
    "disk_full": (503, "The disk is full", "Nothing was changed. Make room, then try again."),
    "drops_half": (409, "More than half would be dropped", "Send confirm: true if that is what you mean."),
    "evidence_gone": (409, "The evidence is gone", "What the proposal rests on was forgotten. Refuse it."),
    "gap": (409, "Lines are missing in between", "Go on from the index that the member expected_index names."),
    "held": (409, "A hold stands already", "The fact is kept whatever its retention says, until the hold is lifted."),
    "id_taken": (409, "The id is taken", "Leave the id out, or supersede what has it."),
    "idempotency_key_reused": (409, "The Idempotency-Key is taken", "Another request used it: make a new one."),
    "keys_in_git": (409, "git holds the keys", "Take KEYS.md out of the repository, and change what it held."),
    "last_owner": (409, "A Space keeps an owner", "Make somebody else an owner first."),
    "later_date": (409, "A later date has come", "Passes are not made up for: decide on the latest."),
    "library_full": (413, "The Library is full", "Its limits of number or size are met: delete something first."),
    "line_differs": (409, "Another line is there", "At the index that the member index names; nothing was added."),
    "merged": (409, "The memory was merged", "Take the memory it was merged into, or take the merge back."),
    "name_taken": (409, "The name is taken", "The answer says by what: choose another, or merge two memories."),
    "narrow_first": (422, "Too many facts to sort like this", "Filter until 20,000 or fewer are left."),
    "not_done": (409, "Nothing to bring back", "The pass archived nothing, or was undone already."),
    "not_merged": (409, "Nothing was merged into it", "There is no merge to take back."),
    "not_stopped": (409, "The pass waits for nobody", "It was decided, or never stopped to ask."),
    "retired": (409, "The domain was retired", "It can be read, and changes no more."),
    "second_factor_required": (403, "A second factor is needed", "Set one up: roles that govern need it."),
    "session_differs": (409, "The session was opened otherwise", "Its classification, subject and consent stay."),
    "settled_meanwhile": (409, "Settled in the meantime", "Load the contradiction again: its claims changed."),
    "space_in_the_making": (503, "The Space is being made", "Its database is not there yet. Try again soon."),
    "stands_for_fact": (422, "The memory stands for a PHI fact", "Supersede the fact; the memory follows it."),
    "superseded": (409, "The memory was corrected", "Take the memory that corrected it."),
    "unexpected": (500, "Something went wrong", "The fault is ours. The log has it under the request’s id."),
}


def title_of(error: KndlError) -> str:
    """The title of an error's kind: that of its exact name where it has one, else of its class."""
    return _EXACT[error.type][1] if error.type in _EXACT else error.title


def problem_types() -> list[ProblemType]:
    """Every kind an answer may carry, once, by status and code."""
    found = {kind.code: kind for kind in _of_classes(KndlError)}
    found |= {code: ProblemType(code, *said) for code, said in _EXACT.items()}
    return sorted(found.values(), key=lambda kind: (kind.status, kind.code))


def _of_classes(parent: type[KndlError]) -> Iterator[ProblemType]:
    for kind in parent.__subclasses__():
        yield from _of_classes(kind)
        # A subclass that only says more in code answers as its parent does.
        if "type" in vars(kind):
            yield ProblemType(kind.type, kind.status, kind.title, cleandoc(kind.__doc__ or ""))
