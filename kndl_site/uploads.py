"""Where the bytes of an uploaded file lie while it is read: in memory, or in a file that has no name."""

import tempfile
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler


class UnnamedFileUploadHandler(FileUploadHandler):
    """Keeps a large file in a temporary one without a name, so that nothing of it stays when the process is killed.

    Django's own makes a file with a name, and removes it when all goes well.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Begin with the next file."""
        super().new_file(*args, **kwargs)
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the request

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._file.write(raw_data)

    def file_complete(self, file_size: int) -> "UploadedFile[Any]":
        self._file.seek(0)
        return UploadedFile(
            self._file, self.file_name, self.content_type, file_size, self.charset, self.content_type_extra
        )
