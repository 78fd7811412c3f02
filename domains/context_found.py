"""A CONTEXT.md that was changed on the disk."""

from audit.recording import SYSTEM, audited
from common.times import now
from domains import evidence, rows
from domains.disk import Found
from domains.models import ON_DISK, ContextRevision, Domain, Evidence, Source
from domains.places import CONTEXT
from domains.rules import context as rules
from domains.secrets import check_context


def take_context(domain: Domain, found: Found, base: int) -> bool:
    """Make a revision of what was found, under the rules that hold for every rewrite.

    Returns whether it was taken; what is refused is kept as evidence.
    """
    with audited("default") as act:
        domain = rows.hold(domain)
        current = rows.current_revision(domain)
        try:
            text = _checked(domain, current.text, found.content)
        except rules.Refused as error:
            said = f"A {CONTEXT} written on disk was put back: it {error}."
            evidence.keep(act, domain, Evidence.Kind.CONTEXT_REFUSED, CONTEXT, said, found.content)
            return False
        if text == current.text:
            act.record(SYSTEM, "domain.context_same", f"domain:{domain.slug}", revision=current.number)
            return True
        made = ContextRevision.objects.create(
            domain=domain,
            number=current.number + 1,
            text=text,
            source=Source.DISK,
            actor_kind=ON_DISK.kind,
            actor_id=ON_DISK.id,
            at=now(),
            base=base,
        )
        act.record(SYSTEM, "domain.context_write", f"domain:{domain.slug}", revision=made.number, source=Source.DISK)
        return True


def _checked(domain: Domain, before: str, content: bytes) -> str:
    """The text. Raises Refused."""
    try:
        text = rules.tidied(content.decode())
    except UnicodeDecodeError:
        raise rules.Refused("characters", "must be UTF-8") from None
    check_context(text, rows.key_values(domain))
    if rules.drops_half(before, text):
        raise rules.Refused("drops_half", "must keep half of what stood there, unless that is confirmed here")
    return text
