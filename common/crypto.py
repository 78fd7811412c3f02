"""Sealing bytes: AES-256-GCM, the nonce in front, the row's identity as associated data."""

import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
_NONCE_BYTES = 12


class NotOpened(Exception):
    """The key is another one, or the bytes or their place are not what was sealed."""


def new_key() -> bytes:
    """32 random bytes."""
    return os.urandom(KEY_BYTES)


def derived(secret: bytes, purpose: str) -> bytes:
    """A key of 32 bytes for one purpose, from a secret (HKDF-SHA-256, RFC 5869)."""
    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=purpose.encode()).derive(secret)


def seal(key: bytes, content: bytes, place: str) -> bytes:
    """`content` encrypted for `place`; moved to another place it does not open."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, content, place.encode())


def unseal(key: bytes, sealed: bytes | memoryview, place: str) -> bytes:
    """What `seal` was given. Raises NotOpened."""
    sealed = bytes(sealed)
    try:
        return AESGCM(key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], place.encode())
    except (InvalidTag, ValueError) as error:
        raise NotOpened("the sealed content does not open in this place with this key") from error


def keyed_hash(key: bytes, *parts: str) -> bytes:
    """HMAC-SHA-256 of the parts, each with its length, so that no two lists of parts run together."""
    mac = hmac.new(key, digestmod=hashlib.sha256)
    for part in parts:
        raw = part.encode()
        mac.update(len(raw).to_bytes(8, "big") + raw)
    return mac.digest()
