"""Rewriting CONTEXT."""

from audit.recording import Act
from common.errors import Conflict, Invalid, Stale, TooLarge
from common.times import now
from domains import rows
from domains.models import ContextRevision, Domain
from domains.places import CONTEXT
from domains.rights import Standing, held_live
from domains.rules import context as rules
from domains.secrets import check_context


def write_context(
    act: Act, standing: Standing, *, text: str, base: int, source: str, note: str = "", confirmed: bool = False
) -> ContextRevision:
    """Put `text` in the place of revision `base`, in the transaction `act`; the same text makes no revision.

    Raises Forbidden, Stale with the current text and the difference when `base` is not current any more, Conflict of
    type `drops_half` unless that is confirmed, Invalid and TooLarge for what the record rules refuse.
    """
    standing.require_writing()
    domain = held_live(standing.domain)
    current = rows.current_revision(domain)
    if base != current.number:
        raise _stale(domain, base, current)
    given = rules.tidied(text)
    try:
        check_context(given, rows.key_values(domain))
    except rules.Refused as error:
        if error.kind == "too_large":
            raise TooLarge(str(error), field="text") from None
        raise Invalid(str(error), field="text") from None
    if rules.drops_half(current.text, given) and not confirmed:
        said = "This drops more than half of what stands there. Send it again with confirm: true if that is meant."
        raise Conflict(said, type="drops_half", current=current.number)
    actor = standing.caller.actor
    if given == current.text:
        act.record(actor, "domain.context_same", f"domain:{domain.slug}", revision=current.number)
        return current
    made = ContextRevision.objects.create(
        domain=domain,
        number=current.number + 1,
        text=given,
        source=source,
        actor_kind=actor.kind,
        actor_id=actor.id,
        at=now(),
        base=base,
        note=note,
    )
    act.record(actor, "domain.context_write", f"domain:{domain.slug}", revision=made.number, source=source)
    return made


def _stale(domain: Domain, base: int, current: ContextRevision) -> Stale:
    """What the writer needs to put both together: the current text, and what changed since theirs."""
    before = ContextRevision.objects.filter(domain=domain, number=base).first()
    if before is None:
        raise Invalid("must be a revision of this CONTEXT", field="If-Match")
    return Stale(
        f"CONTEXT is at revision {current.number}; yours was based on {base}.",
        current=current.number,
        text=current.text,
        diff=rules.difference(before.text, current.text, (f"{CONTEXT} {base}", f"{CONTEXT} {current.number}")),
    )
