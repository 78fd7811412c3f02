"""Making and changing a domain, and choosing its members: the instance's owner alone does that."""

from collections.abc import Sequence

from audit.recording import Act
from common.errors import Conflict, Invalid
from common.times import now
from domains import sealing
from domains.models import ContextRevision, Domain, DomainMember, Source
from domains.projects import members_of
from domains.rights import Standing, held_live, require_governing
from domains.rules.slug import checked_slug
from spaces.access import Caller
from spaces.models import Project

MOST_MEMBERS = 50


def make_domain(
    act: Act,
    caller: Caller,
    *,
    slug: str,
    name: str,
    cross_read: bool = True,
    members: Sequence[Project] = (),
    crosses: bool = False,
    source: str = Source.API,
) -> Domain:
    """Make a domain, in the transaction `act`; its directory comes with `holding.take_up`.

    Raises Forbidden, Invalid, Conflict for a slug that is taken, and what `set_members` raises.
    """
    require_governing(caller)
    try:
        checked_slug(slug)
    except ValueError as error:
        raise Invalid(str(error), field="slug") from None
    if Domain.objects.filter(slug=slug).exists():
        raise Conflict(f"There is a domain {slug} already.", field="slug")
    domain = Domain(slug=slug, name=_checked_name(name), cross_read=cross_read)
    sealing.give_key(domain)
    domain.save(force_insert=True)
    ContextRevision.objects.create(
        domain=domain,
        number=1,
        text=f"# {domain.name}\n",
        source=source,
        actor_kind=caller.actor.kind,
        actor_id=caller.actor.id,
        at=now(),
        base=0,
    )
    act.record(caller.actor, "domain.make", f"domain:{slug}", cross_read=cross_read)
    set_members(act, Standing(caller, domain), members, crosses=crosses)
    return domain


def change_domain(act: Act, standing: Standing, *, name: str | None = None, cross_read: bool | None = None) -> None:
    """Give another name, or let the members see each other's folders or not, in the transaction `act`."""
    require_governing(standing.caller)
    domain = held_live(standing.domain)
    if name is not None:
        domain.name = _checked_name(name)
    if cross_read is not None:
        domain.cross_read = cross_read
    domain.save(update_fields=["name", "cross_read"])
    act.record(standing.caller.actor, "domain.change", f"domain:{domain.slug}", cross_read=domain.cross_read)


def set_members(act: Act, standing: Standing, projects: Sequence[Project], *, crosses: bool) -> None:
    """Let exactly these projects share the domain, in the transaction `act`.

    Raises Forbidden, Invalid for too many or two of one name, and Conflict of type `crosses_spaces` when they are of
    several Spaces and `crosses` does not confirm that.
    """
    require_governing(standing.caller)
    domain = held_live(standing.domain)
    given = list({project.pk: project for project in projects}.values())
    spaces = _checked_members(given, crosses=crosses)
    before = {project.pk: project for project in members_of(domain)}
    after = {project.pk: project for project in given}
    home = _home(domain, given)
    DomainMember.objects.filter(domain=domain).exclude(project__in=given).delete()
    for project in given:
        of_another = project.space_id != home
        DomainMember.objects.update_or_create(domain=domain, project=project, defaults={"crosses": of_another})
    domain.crosses = len(spaces) > 1
    domain.save(update_fields=["crosses"])
    act.record(
        standing.caller.actor,
        "domain.members",
        f"domain:{domain.slug}",
        added=sorted(str(key) for key in after.keys() - before.keys()),
        removed=sorted(str(key) for key in before.keys() - after.keys()),
    )
    if domain.crosses:
        act.record(standing.caller.actor, "domain.cross_spaces", f"domain:{domain.slug}", spaces=spaces)


def _checked_members(given: list[Project], *, crosses: bool) -> list[str]:
    """The short names of the Spaces they are of."""
    if len(given) > MOST_MEMBERS:
        raise Invalid(f"must be {MOST_MEMBERS} or fewer", field="members")
    names = [project.slug for project in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Invalid(
            f"must differ in their short names, by which LOG.md tells them; twice: {twice[0]}", field="members"
        )
    spaces = sorted({project.space.slug for project in given})
    if len(spaces) > 1 and not crosses:
        said = f"These projects are of several Spaces: {', '.join(spaces)}. Confirm that with crosses: true."
        raise Conflict(said, type="crosses_spaces", spaces=spaces)
    return spaces


def _home(domain: Domain, given: list[Project]) -> object:
    """The Space of the member that stays longest, else of the first one given."""
    staying = DomainMember.objects.filter(domain=domain, project__in=given).order_by("since", "pk")
    first = staying.values_list("project__space_id", flat=True).first()
    return first or (given[0].space_id if given else None)


def _checked_name(name: str) -> str:
    bare = name.strip()
    if not 1 <= len(bare) <= 120 or any(letter < " " for letter in bare):
        raise Invalid("must have 1 to 120 visible characters", field="name")
    return bare
