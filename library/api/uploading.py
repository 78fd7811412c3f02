"""Files of a form, each streamed to the disk as it comes in, under the whole path that its name gives."""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest, QueryDict
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.utils.datastructures import MultiValueDict

from common.errors import Invalid
from library.limits import current_limits
from library.models import LibrarySettings
from library.storing import Received, Receiving

# What browsers write for a quote and the ends of lines in a name (HTML, "multipart/form-data encoding algorithm").
_ESCAPED = re.compile("%(22|0A|0D)")


class ReceivedUpload(UploadedFile):  # type: ignore[type-arg]
    """A file of a form; when the request ends, what was not kept of it is removed."""

    def __init__(self, received: Received, path: str) -> None:
        super().__init__(None, "file", size=received.size)
        self.received = received
        self.path = path

    def close(self) -> None:
        self.received.discard()


class ReceivingHandler(FileUploadHandler):
    """Django's way to hand us the pieces of the files of a form."""

    def __init__(self, limits: LibrarySettings) -> None:
        super().__init__()
        self._limits = limits
        self._receiving: Receiving | None = None
        self.complete: list[ReceivedUpload] = []
        self.is_cut_short = False

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin with the next file."""
        super().new_file(*args, **kwargs)
        self._receiving = Receiving(self._limits)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Take a piece of it."""
        if self._receiving is not None:
            self._receiving.write(raw_data)

    def file_complete(self, file_size: int) -> ReceivedUpload | None:
        """The file is here."""
        if self._receiving is None:
            return None
        receiving, self._receiving = self._receiving, None
        upload = ReceivedUpload(receiving.finish(), self.file_name or "")
        self.complete.append(upload)
        return upload

    def upload_interrupted(self) -> None:
        """Leave nothing of the file that was coming in."""
        self.is_cut_short = True
        if self._receiving is not None:
            self._receiving.abandon()

    def discard(self) -> None:
        """Leave nothing at all."""
        self.upload_interrupted()
        for upload in self.complete:
            upload.close()


class _WholeNames(MultiPartParser):
    """Leaves the names of files as they are: a path among them is checked, not cut down to its end."""

    def sanitize_file_name(self, file_name: str) -> str:
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), file_name)


def receive_files(request: HttpRequest) -> None:
    """Let the files of this request's form be received for the Library; before anybody reads the form."""
    request.parse_file_upload = partial(_parsed, request)  # type: ignore[method-assign]


def _parsed(
    request: HttpRequest, meta: Mapping[str, Any], body: Any
) -> tuple[QueryDict, MultiValueDict[str, UploadedFile]]:  # type: ignore[type-arg]
    handler = ReceivingHandler(current_limits())
    try:
        found = _WholeNames(meta, body, [handler], request.encoding or "utf-8").parse()
        if handler.is_cut_short:
            raise Invalid("ends in the middle of a file", field="body")
    except BaseException as error:
        handler.discard()
        if isinstance(error, MultiPartParserError):
            raise Invalid(f"is no form of several parts: {error}", field="body") from error
        if isinstance(error, TooManyFilesSent):
            raise Invalid("are more than one form may bring: send several", field="files") from error
        raise
    return found
