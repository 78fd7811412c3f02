"""The data key of a domain, which seals its keys and its evidence."""

import hashlib
import hmac
import zlib

from audit.recording import audited
from common.crypto import derived, new_key, seal, unseal
from common.errors import Unavailable
from domains.models import Domain
from spaces.access import Caller
from spaces.keys import current_number, unwrap, wrap


def give_key(domain: Domain) -> None:
    """Give a domain that is being made its data key."""
    domain.wrapped_by, domain.wrapped = wrap(new_key(), _place(domain))


def sealed(domain: Domain, content: bytes, place: str) -> bytes:
    """`content` sealed for a place within the domain. Raises Unavailable under another root key."""
    return seal(_key(domain), content, f"domain:{domain.pk}:{place}")


def opened(domain: Domain, content: bytes | memoryview, place: str) -> bytes:
    """What `sealed` was given. Raises NotOpened, and Unavailable under another root key."""
    return unseal(_key(domain), content, f"domain:{domain.pk}:{place}")


def packed(domain: Domain, content: bytes, place: str) -> bytes:
    """Like `sealed`, made smaller first; for what may be long. Nothing for nothing."""
    return sealed(domain, zlib.compress(content), place) if content else b""


def unpacked(domain: Domain, content: bytes | memoryview, place: str) -> bytes:
    """What `packed` was given."""
    return zlib.decompress(opened(domain, content, place)) if content else b""


def mark(domain: Domain, file: str, content: bytes) -> str:
    """A keyed hash by which a content is known again; nobody can try values against it without the key."""
    key = derived(_key(domain), f"kndl domain file {file}")
    return hmac.new(key, content, hashlib.sha256).hexdigest()


def behind() -> int:
    """How many data keys of domains an older key-encryption key wraps."""
    return Domain.objects.exclude(wrapped_by=current_number()).count()


def rewrap(caller: Caller) -> tuple[int, int]:
    """Wrap the data keys of domains again that an older key-encryption key wraps.

    Returns how many there were, and how many of them are left since they do not open.
    """
    newest, done, left = current_number(), 0, 0
    for domain in Domain.objects.exclude(wrapped_by=newest).order_by("slug"):
        try:
            key = _key(domain)
        except Unavailable:
            left += 1
            continue
        number, wrapped = wrap(key, _place(domain))
        with audited("default") as act:
            Domain.objects.filter(pk=domain.pk, wrapped_by=domain.wrapped_by).update(wrapped_by=number, wrapped=wrapped)
            act.record(caller.actor, "keys.rewrap", f"domain:{domain.slug}", number=number)
        done += 1
    return done, left


def _key(domain: Domain) -> bytes:
    return unwrap(domain.wrapped_by, bytes(domain.wrapped), _place(domain))


def _place(domain: Domain) -> str:
    return f"domain-data-key:{domain.pk}"
