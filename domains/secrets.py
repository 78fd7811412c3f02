"""Whether a text holds a secret: by the rules here, and by those that other rooms told of at start."""

from collections.abc import Iterable

from common.registries import secret_finders
from domains.rules import context
from domains.rules.credentials import Found, credentials


def secrets_in(text: str, known: Iterable[str] = ()) -> list[Found]:
    """What in `text` is or looks like a secret, by lines; `known` are the values of KEYS.md."""
    return credentials(text, known, [finds for _, finds in secret_finders])


def check_context(text: str, known: Iterable[str] = ()) -> None:
    """Raise `domains.rules.context.Refused` for a text that may not be CONTEXT."""
    context.check(text, known, [finds for _, finds in secret_finders])
