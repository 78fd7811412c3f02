"""The guarded way to an endpoint: what is sent is chosen by name, what comes back is bounded in size and time."""

import time
from collections.abc import Iterator

import httpx2

from memory.embedding.endpoint.fault import EndpointFault

_SENT = ("host", "content-type", "content-length", "accept", "user-agent", "connection")


class GuardedTransport(httpx2.BaseTransport):
    """Sends no header but those needed, takes no compressed body, and ends one that is too long or takes too long.

    The client library adds headers about this machine and from its environment: none of them leaves.
    """

    def __init__(self, *, api_key: str | None, most_bytes: int, body_seconds: float) -> None:
        self._inner = httpx2.HTTPTransport(limits=httpx2.Limits(keepalive_expiry=60))
        self._api_key = api_key
        self._most_bytes = most_bytes
        self._body_seconds = body_seconds

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, its body still to be read. Reading it raises EndpointFault beyond the bounds."""
        response = self._inner.handle_request(
            httpx2.Request(
                request.method,
                request.url,
                headers=self._headers(request.headers),
                stream=request.stream,
                extensions=request.extensions,
            )
        )
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            response.close()
            raise EndpointFault("The model's endpoint sent a compressed answer, which was not asked for.")
        assert isinstance(response.stream, httpx2.SyncByteStream)
        response.stream = _Bounded(response.stream, self._most_bytes, self._body_seconds)
        return response

    def _headers(self, given: httpx2.Headers) -> dict[str, str]:
        chosen = {name: given[name] for name in _SENT if name in given} | {"accept-encoding": "identity"}
        return chosen if self._api_key is None else chosen | {"authorization": f"Bearer {self._api_key}"}

    def close(self) -> None:
        """Close every connection."""
        self._inner.close()


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream, most_bytes: int, seconds: float) -> None:
        self._stream = stream
        self._most_bytes = most_bytes
        self._seconds = seconds

    def __iter__(self) -> Iterator[bytes]:
        end = time.monotonic() + self._seconds
        size = 0
        for part in self._stream:
            size += len(part)
            if size > self._most_bytes:
                raise EndpointFault(f"The model's endpoint sent more than {self._most_bytes:,} bytes.")
            if time.monotonic() > end:
                raise EndpointFault("The model's endpoint did not come to an end in time.")
            yield part

    def close(self) -> None:
        self._stream.close()
