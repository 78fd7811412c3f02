"""How much the Library takes, and of what."""

from typing import Annotated

from pydantic import Field

from audit.recording import Act
from common.errors import TooLarge
from common.strict import Sentence, StrictModel
from library.models import LibrarySettings
from library.refusals import TypeRefused
from library.rules.media_types import is_allowed
from spaces.access import Caller

_Type = Annotated[
    str,
    Field(pattern=r"\A[a-z0-9][a-z0-9!#$&^_.+\-]{0,80}/(?:\*|[a-z0-9][a-z0-9!#$&^_.+\-]{0,120})\z"),
    Sentence("must be a media type such as application/pdf or image/*"),
]


class LimitsInput(StrictModel):
    """The limits; sizes are bytes. `media_types` empty: every type is allowed."""

    file_size: Annotated[int, Field(ge=1, le=2**40)]
    whole_size: Annotated[int, Field(ge=1, le=2**50)]
    files: Annotated[int, Field(ge=1, le=1_000_000)]
    media_types: Annotated[list[_Type], Field(max_length=200)]


def current_limits() -> LibrarySettings:
    """The limits as they are set; those one begins with where nobody did."""
    return LibrarySettings.objects.first() or LibrarySettings()


def set_limits(act: Act, caller: Caller, given: LimitsInput) -> LibrarySettings:
    """Set the limits. What is in the Library already stays, whatever they say."""
    values = given.model_dump()
    row, _ = LibrarySettings.objects.update_or_create(single=True, defaults=values)
    act.record(caller.actor, "library.limits", "library", **values)
    return row


def require_size(limits: LibrarySettings, size: int) -> None:
    """Raise TooLarge for a file of more than the limit."""
    if size > limits.file_size:
        raise TooLarge(f"A file may have {limits.file_size:,} bytes at most.", limit=limits.file_size)


def require_type(limits: LibrarySettings, media_type: str) -> None:
    """Raise TypeRefused for a type that is not allowed."""
    if not is_allowed(media_type, limits.media_types):
        raise TypeRefused(f"The content is {media_type}, which is not allowed.", allowed=limits.media_types)


def require_room(limits: LibrarySettings, *, files: int, size: int) -> None:
    """Raise TooLarge where the Library would hold more `files`, or more bytes in all, than the limits say."""
    if files > limits.files:
        raise TooLarge(f"The Library may hold {limits.files:,} files at most.", type="library_full", limit=limits.files)
    if size > limits.whole_size:
        raise TooLarge(
            f"The Library may hold {limits.whole_size:,} bytes at most.", type="library_full", limit=limits.whole_size
        )
