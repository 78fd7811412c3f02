"""Key-encryption keys: kept in the control database, wrapped by the root key, which is kept outside it.

They wrap the data keys in the databases of the Spaces. A rotation makes a new one and wraps the data keys again; what
the data keys encrypt is never rewritten.
"""

import threading

from django.conf import settings
from django.db import IntegrityError, transaction

from audit.recording import Act
from common.crypto import NotOpened, derived, new_key, seal, unseal
from common.errors import Unavailable
from spaces.access import Caller
from spaces.models import KeyEncryptionKey

_opened: dict[tuple[int, bytes], bytes] = {}
_lock = threading.Lock()


def _root() -> bytes:
    return derived(settings.KNDL_ROOT_KEY.encode(), "kndl key-encryption keys")


def _place(number: int) -> str:
    return f"key-encryption-key:{number}"


def current_number() -> int:
    """The number of the key that new data keys are wrapped with; made on first use."""
    number = KeyEncryptionKey.objects.order_by("-number").values_list("number", flat=True).first()
    if number is not None:
        return int(number)
    try:
        with transaction.atomic(using="default"):
            return _make(1)
    except IntegrityError:
        return current_number()


def rotate(act: Act, caller: Caller) -> int:
    """Make a new key, in the transaction `act` of the control database; returns its number."""
    number = _make(current_number() + 1)
    act.record(caller.actor, "keys.rotate", f"key-encryption-key:{number}")
    return number


def wrap(data_key: bytes, place: str) -> tuple[int, bytes]:
    """(number of the wrapping key, the data key wrapped for its place)."""
    number = current_number()
    return number, seal(_key(number), data_key, place)


def unwrap(number: int, wrapped: bytes, place: str) -> bytes:
    """The data key. Raises Unavailable when the root key is another one than at its making."""
    try:
        return unseal(_key(number), wrapped, place)
    except NotOpened as error:
        raise Unavailable(
            "Sealed content cannot be opened: KNDL_ROOT_KEY is not the one it was sealed under."
        ) from error


def rewrap_all_under_root(old_root_key: str) -> int:
    """After the root key was changed: wrap every key again, opened with `old_root_key`. Returns how many."""
    old_root = derived(old_root_key.encode(), "kndl key-encryption keys")
    count = 0
    for row in KeyEncryptionKey.objects.all():
        row.wrapped = seal(_root(), unseal(old_root, row.wrapped, _place(row.number)), _place(row.number))
        row.save(update_fields=["wrapped"])
        count += 1
    return count


def _make(number: int) -> int:
    wrapped = seal(_root(), new_key(), _place(number))
    KeyEncryptionKey.objects.create(number=number, wrapped=wrapped)
    return number


def _key(number: int) -> bytes:
    """A key-encryption key, opened once a process for the bytes that are stored."""
    row = KeyEncryptionKey.objects.get(number=number)
    name = (number, bytes(row.wrapped))
    with _lock:
        if name not in _opened:
            _opened[name] = unseal(_root(), row.wrapped, _place(number))
        return _opened[name]
