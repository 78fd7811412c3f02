"""Making a seat with its token, and ending a token."""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import models

from audit.recording import audited
from common.errors import Conflict, Invalid, NotFound
from common.times import now
from seats.models import Seat, SeatToken
from seats.surroundings import Surroundings
from seats.tokens import VERBS, hash_of, hint_of, new_token, parse_purposes, parse_verbs
from spaces.access import Caller
from spaces.members import hold, require_governor
from spaces.models import Space


def make_seat(
    caller: Caller,
    space: Space,
    *,
    assistant: str = "",
    owner: str = "",
    project: str = "",
    kind: str = Seat.Kind.ENGINE,
    client: str = Seat.Client.CLAUDE,
    verbs: Sequence[str] = VERBS,
    purposes: Sequence[str] = (),
    reads_shared: bool = False,
    new_scope: bool = False,
    expires_at: datetime | None = None,
) -> tuple[Seat, str]:
    """Make a seat of `space`; returns it with its token, which cannot be shown again.

    Its scope is the pair of `assistant` ("assistant" unless named) and `owner` (a member's e-mail or name; the Space's
    owner unless named); `project` is a slug ("main" unless named). Whatever is missing is made. Where nobody is named
    and the Space has no owner, the scope is the shared one. `new_scope` asks for one that nobody has used yet: of a
    fresh Assistant, unless one is named.

    Raises Forbidden, and Invalid naming the field at fault; `expires_at` must lie ahead.
    """
    require_governor(caller, space)
    allowed_verbs = _parsed("verbs", parse_verbs, verbs)
    allowed_purposes = _parsed("purposes", parse_purposes, purposes)
    _check_choice("kind", kind, Seat.Kind)
    _check_choice("client", client, Seat.Client)
    if expires_at is not None and expires_at <= now():
        raise Invalid("must lie ahead", field="expires_at")
    with audited("default") as act:
        hold(space)
        around = Surroundings(act, caller, space)
        scope = around.scope(assistant.strip(), owner.strip(), new=new_scope)
        seat = _new_seat(scope.pk, around, project, kind, client)
        text = new_token()
        token = SeatToken.objects.create(
            seat=seat,
            secret_hash=hash_of(text),
            hint=hint_of(text),
            verbs=allowed_verbs,
            purposes=allowed_purposes,
            reads_shared=reads_shared,
            expires_at=expires_at,
        )
        act.record(
            caller.actor,
            "seat.make",
            f"seat:{seat.pk}",
            scope=scope.pk,
            space=space.slug,
            project=str(seat.project_id),
            token=str(token.pk),
            verbs=allowed_verbs,
            purposes=allowed_purposes,
            reads_shared=reads_shared,
        )
    return seat, text


def find_token(given: str) -> SeatToken:
    """The token that `given` is, or that begins with `given` as `hint_of` shows it.

    Raises NotFound, and Conflict when tokens that can still be used share the hint.
    """
    given = given.strip().removesuffix("…")
    tokens = SeatToken.objects.select_related("seat__space")
    if whole := tokens.filter(secret_hash=hash_of(given)).first():
        return whole
    found = list(tokens.filter(hint=given).order_by("-made_at"))
    if not found:
        raise NotFound("There is no such token.")
    valid = [token for token in found if token.is_valid(now())]
    if len(valid) > 1:
        seats = ", ".join(f"{token.seat.name} in Space {token.seat.space.slug}" for token in valid)
        raise Conflict(f"Tokens of several seats begin like this: {seats}. Give the whole token.")
    return valid[0] if valid else found[0]


def revoke_token(caller: Caller, token: SeatToken) -> None:
    """End a token: it is refused from the next request on. One that was ended before keeps its time."""
    space = token.seat.space
    require_governor(caller, space)
    with audited("default") as act:
        SeatToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now())
        act.record(caller.actor, "seat.revoke", f"seat:{token.seat_id}", space=space.slug, token=str(token.pk))
    token.refresh_from_db()


def _new_seat(scope_id: int, around: Surroundings, project: str, kind: str, client: str) -> Seat:
    """A seat is called after its project, with the next number."""
    place = around.project(project.strip())
    name = f"{place.slug}-{Seat.objects.filter(project=place).count() + 1}"
    return Seat.objects.create(
        name=name, space=around.space, scope_id=scope_id, project=place, kind=kind, client=client
    )


def _parsed(field: str, parse: Callable[[str], list[str]], given: Sequence[str]) -> list[str]:
    try:
        return parse(",".join(given))
    except ValueError as error:
        raise Invalid(str(error), field=field) from error


def _check_choice(field: str, given: str, choices: type[models.TextChoices]) -> None:
    if given not in choices.values:
        raise Invalid(f"must be one of {', '.join(choices.values)}", field=field)
