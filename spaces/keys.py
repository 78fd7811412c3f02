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

# By number the key itself, with the bytes it was opened from: wrapped anew under another root, it is the same key.
_opened: dict[int, tuple[bytes, bytes]] = {}
_WRONG_ROOT = "Sealed content cannot be opened: KNDL_ROOT_KEY is not the one it was sealed under."
_lock = threading.Lock()


def _root() -> bytes:
    return _root_of(settings.KNDL_ROOT_KEY)


def _root_of(root_key: str) -> bytes:
    return derived(root_key.encode(), "kndl key-encryption keys")


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
    """(number of the wrapping key, the data key wrapped for its place). Raises Unavailable under another root key."""
    number = current_number()
    return number, seal(_stored_key(number), data_key, place)


def unwrap(number: int, wrapped: bytes, place: str) -> bytes:
    """The data key. Raises Unavailable when the root key is another one than at its making."""
    known = _opened.get(number)
    found = None if known is None else _opens(known[1], wrapped, place)
    try:
        return found or unseal(_stored_key(number), wrapped, place)
    except NotOpened as error:
        raise Unavailable(_WRONG_ROOT) from error


def rewrap_all_under_root(act: Act, caller: Caller, old_root_key: str) -> int:
    """After the root key was changed: wrap every key again, opened with `old_root_key`, in the transaction `act`.

    Returns how many were not under the new one yet. Raises Unavailable when one opens under neither.
    """
    old_root, count = _root_of(old_root_key), 0
    for row in KeyEncryptionKey.objects.select_for_update().order_by("number"):
        place = _place(row.number)
        if _opens(_root(), row.wrapped, place) is not None:
            continue
        key = _opens(old_root, row.wrapped, place)
        if key is None:
            raise Unavailable(f"Key-encryption key {row.number} opens neither under the new root key nor the old one.")
        row.wrapped = seal(_root(), key, place)
        row.save(update_fields=["wrapped"])
        count += 1
    act.record(caller.actor, "keys.rewrap_root", count=count)
    return count


def _make(number: int) -> int:
    wrapped = seal(_root(), new_key(), _place(number))
    KeyEncryptionKey.objects.create(number=number, wrapped=wrapped)
    return number


def _opens(root: bytes, wrapped: bytes | memoryview, place: str) -> bytes | None:
    try:
        return unseal(root, wrapped, place)
    except NotOpened:
        return None


def _stored_key(number: int) -> bytes:
    """A key-encryption key as it is stored now, opened once a process for those bytes.

    Where they do not open any more, since another process has wrapped it under a new root key, the one that was opened
    before goes on: under its number there is never another key. Raises Unavailable.
    """
    wrapped = KeyEncryptionKey.objects.filter(number=number).values_list("wrapped", flat=True).first()
    if wrapped is None:
        raise Unavailable(f"Key-encryption key {number} is gone from the control database.")
    stored = bytes(wrapped)
    with _lock:
        before, key = _opened.get(number, (b"", None))
        if before != stored:
            key = _opens(_root(), stored, _place(number)) or key
            if key is None:
                raise Unavailable(_WRONG_ROOT)
            _opened[number] = stored, key
        assert key is not None
        return key
