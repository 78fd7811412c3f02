"""HTTP as a seat and as a member's browser speak it, over one connection each; and the server's memory."""

import http.client
import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

CHUNK = 1024 * 1024


class Speaker:
    """Somebody who asks the service, with these headers."""

    def __init__(self, headers: dict[str, str]) -> None:
        address = urlsplit(f"http://{os.environ['KNDL_BIND']}")
        self._connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=900)
        self._headers = {"Host": f"localhost:{address.port}", **headers}

    def ask(
        self,
        method: str,
        route: str,
        body: bytes | Iterable[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> bytes:
        """The body of an answer. Raises RuntimeError for a refusal."""
        self._connection.request(method, route, body, {**self._headers, **(headers or {})})
        answer = self._connection.getresponse()
        text = answer.read()
        if answer.status not in (200, 201):
            raise RuntimeError(f"{method} {route}: {answer.status} {text[:300]!r}")
        return text


def zeros(size: int) -> Iterable[bytes]:
    """A content of so many bytes, in pieces."""
    piece = bytes(CHUNK)
    for start in range(0, size, CHUNK):
        yield piece[: min(CHUNK, size - start)]


def server_process() -> int:
    """The service, which is a child of this process. Raises RuntimeError where none is."""
    for entry in Path("/proc/self/task").glob("*/children"):
        for child in entry.read_text().split():
            if b"manage.py\0up" in Path(f"/proc/{child}/cmdline").read_bytes():
                return int(child)
    raise RuntimeError("the service is not a child of this process")


def forget_peak(process: int) -> None:
    """Let the peak of a process's memory begin anew."""
    Path(f"/proc/{process}/clear_refs").write_text("5")


def peak_megabytes(process: int) -> float:
    """The most memory the process had since then, in MB of a million bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    (kilobytes,) = (int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return round(kilobytes * 1024 / 1_000_000, 1)
