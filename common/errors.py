"""The one tree of errors that cross a room's border; a single place turns them into problem+json answers and pages."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """One refused field: `field` is its JSON name, dotted when nested; `detail` ends the sentence the name begins."""

    field: str
    detail: str


class KndlError(Exception):
    """Base of all errors an answer can carry.

    `detail` says in plain English what went wrong, `errors` names the fields at fault, `extra` holds members the
    problem document adds (such as the winner of a race). `type` may be made more exact per instance. `field` is short
    for one FieldError with the detail; a detail in lower case then has the name put before it.
    """

    status: int = 500
    type: str = "error"
    title: str = "Something went wrong"

    def __init__(
        self,
        detail: str = "",
        *,
        field: str | None = None,
        errors: Iterable[FieldError] | None = None,
        type: str | None = None,
        **extra: object,
    ) -> None:
        self.errors = list(errors or ())
        if field is not None:
            self.errors.insert(0, FieldError(field, detail))
            if detail[:1].islower():
                detail = f"{field} {detail}"
        if not detail and self.errors:
            detail = "; ".join(f"{error.field} {error.detail}" for error in self.errors)
        self.detail = detail or self.title
        if type is not None:
            self.type = type
        self.extra = extra
        super().__init__(self.detail)


class Invalid(KndlError):
    """The request is malformed or a value is not allowed."""

    status = 400
    type = "invalid"
    title = "The request is not valid"


class Unauthenticated(KndlError):
    """Nobody is signed in, or the token is unknown, expired or revoked."""

    status = 401
    type = "unauthenticated"
    title = "Sign in first"


class Forbidden(KndlError):
    """The caller may see the thing but not do this with it."""

    status = 403
    type = "forbidden"
    title = "You may not do this"


class NotFound(KndlError):
    """The thing is not there, or not there for this caller: the two look the same."""

    status = 404
    type = "not_found"
    title = "Not found"


class MethodNotAllowed(KndlError):
    """The thing exists and can't be acted on in this way."""

    status = 405
    type = "method_not_allowed"
    title = "This can't be done here"


class Conflict(KndlError):
    """Somebody else was first: a taken id, a fact that is superseded already."""

    status = 409
    type = "conflict"
    title = "This conflicts with what is already there"


class Stale(KndlError):
    """The caller edited an older revision than the current one."""

    status = 412
    type = "stale"
    title = "This was changed in the meantime"


class TooLarge(KndlError):
    """The body or file exceeds its limit."""

    status = 413
    type = "too_large"
    title = "This is too large"


class Unprocessable(KndlError):
    """Well formed, and refers to something that does not exist or can't be done now."""

    status = 422
    type = "unprocessable"
    title = "This can't be done as asked"


class TooMany(KndlError):
    """The caller reached a rate limit."""

    status = 429
    type = "too_many"
    title = "Too many requests"


class Unavailable(KndlError):
    """Something this answer needs can't be reached at the moment."""

    status = 503
    type = "unavailable"
    title = "This is not available at the moment"


class SpaceUnavailable(Unavailable):
    """The Space's database is gone, locked, damaged, not its own or not migrated."""

    type = "space_unavailable"
    title = "This Space is not available at the moment"
