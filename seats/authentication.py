"""Bearer tokens of seats."""

import uuid
from datetime import timedelta

import structlog
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from audit.recording import Actor, refused
from common.times import now
from seats.models import SeatToken
from seats.tokens import PREFIX, hash_of
from spaces.access import Caller

# How exact "last used" is: not every request needs a write.
_LAST_USED_GRAIN = timedelta(minutes=1)


class SeatAuthentication(BaseAuthentication):
    """Recognises `Authorization: Bearer kndl_seat_…`. Looked up at each request, so a revoked token stops at once."""

    def authenticate(self, request: Request) -> tuple[Caller, SeatToken] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return None
        secret = secret.strip()
        tokens = SeatToken.objects.select_related("seat__space").filter(secret_hash=hash_of(secret))
        token = tokens.first() if secret.startswith(PREFIX) else None
        at = now()
        if token is None or not token.is_valid(at):
            # A guess is not worth a row of the audit, which strangers could fill with them; a lost token is.
            if token is not None:
                refused("default", Actor("seat", str(token.seat_id)), "seat.authenticate", f"token:{token.pk}")
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        if token.last_used_at is None or at - token.last_used_at > _LAST_USED_GRAIN:
            SeatToken.objects.filter(pk=token.pk).update(last_used_at=at)
        caller = caller_of_token(token)
        structlog.contextvars.bind_contextvars(actor=str(caller.actor), space=token.seat.space.slug)
        return caller, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="kndl"'


def caller_of_token(token: SeatToken) -> Caller:
    """The caller that a seat with this token is."""
    seat = token.seat
    return Caller(
        actor=Actor("seat", str(seat.pk)),
        label=seat.name,
        space_id=uuid.UUID(str(seat.space_id)),
        scope_id=seat.scope_id,
        reads_shared=token.reads_shared,
        verbs=frozenset(token.verbs),
        purposes=tuple(token.purposes),
    )
