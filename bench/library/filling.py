"""A Library of so many small files, and who reads and writes it."""

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from django.conf import settings
from django.test import Client

from accounts.models import User
from bench.library.speaking import Speaker
from bench.service import SPACE, Service
from library.models import Blob
from library.reading import live_files
from library.writing import MOST_FILES, add_many
from seats.authentication import caller_of_token
from seats.models import SeatToken
from seats.tokens import hash_of
from spaces.access import Caller
from spaces.models import Membership, Space

A_FOLDER = 100
_MEMBER = "member@bench.test"


def path_of(number: int) -> str:
    """The path of a file: a hundred of them to a folder, twenty folders to a department."""
    folder = number // A_FOLDER
    return f"department {folder // 20:02}/folder {folder:03}/file {number:05}.md"


def filled(caller: Caller, count: int, say: Callable[[str], object]) -> None:
    """Bring the Library to `count` files, whose words nobody is to read meanwhile."""
    Blob.objects.filter(words=Blob.Words.WAITING).update(words=Blob.Words.NONE)
    present = live_files("department").count()
    for start in range(present, count, MOST_FILES):
        numbers = range(start, min(start + MOST_FILES, count))
        add_many(caller, [(path_of(number), BytesIO(_text(number))) for number in numbers], "bench")
        Blob.objects.filter(words=Blob.Words.WAITING).update(words=Blob.Words.NONE)
        if start % 10_000 == 0:
            say(f"{start:,} of {count:,} files are there")


def seat(service: Service) -> tuple[Caller, Speaker]:
    """The seat of the service's token, in this process and over HTTP."""
    token = SeatToken.objects.select_related("seat").get(secret_hash=hash_of(service.token))
    return caller_of_token(token), Speaker({"Authorization": f"Bearer {service.token}"})


def member() -> Speaker:
    """A member of the Space in a browser."""
    user = User.objects.filter(email=_MEMBER).first() or User.objects.create_user(
        _MEMBER, "Member", os.urandom(16).hex()
    )
    Membership.objects.get_or_create(
        space=Space.objects.get(slug=SPACE), user=user, defaults={"role": Membership.Role.MEMBER}
    )
    client = Client()
    client.force_login(user)
    name = settings.SESSION_COOKIE_NAME
    return Speaker({"Cookie": f"{name}={client.cookies[name].value}"})


def synced(folder: Path, content: bytes) -> None:
    """The rival of a write: the same bytes in a file, safely on the disk."""
    path = folder / "rival"
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _text(number: int) -> bytes:
    return f"# File {number}\n\nWhat the company knows about subject {number}.\n".encode()
