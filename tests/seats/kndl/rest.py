"""A small REST service on a real socket, which answers as it is told and remembers what it was asked."""

import json
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

BASE = "/api/v1/spaces/demo/"
MADE = {"@id": "fact:made", "statement": "x", "confidence": 0.95, "warnings": []}


@dataclass(frozen=True)
class Answer:
    """What the service says next; `cut` breaks the connection before the answer or in the middle of its body."""

    status: int = 200
    body: Any = None
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    cut: str = ""
    chunked: bool = False

    def payload(self) -> bytes:
        """Return the body as it goes over the wire."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Asked:
    """What the service was asked."""

    method: str
    path: str
    params: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        """Return the body's JSON value."""
        return json.loads(self.body)

    def lines(self) -> list[Any]:
        """Return the values of a JSON Lines body."""
        return [json.loads(line) for line in self.body.split(b"\n") if line]


class Rest:
    """The service: `answers` are given in their order, `asked` grows with each request."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.answers: deque[Answer] = deque()
        self.asked: list[Asked] = []

    @property
    def storage(self) -> str:
        """Return what KNDL_STORAGE is to be."""
        return f"http://127.0.0.1:{self.port}/spaces/demo"

    def will(self, *answers: Answer) -> None:
        """Say what comes next."""
        self.answers.extend(answers)


@contextmanager
def serving() -> Iterator[Rest]:
    """Run a service for the time of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            url = urlsplit(self.path)
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            params = dict(parse_qsl(url.query, keep_blank_values=True, strict_parsing=bool(url.query)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            rest.asked.append(Asked(self.command, url.path, params, headers, body))
            self.close_connection = True
            answer = rest.answers.popleft() if rest.answers else Answer(599, {"title": "Nothing more was expected"})
            if answer.cut == "before":
                return
            payload = answer.payload()
            sent = payload[: len(payload) // 2] if answer.cut else payload
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.kind)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.chunked:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.wfile.write(b"%x\r\n%b\r\n" % (len(sent), sent) + (b"" if answer.cut else b"0\r\n\r\n"))
            else:
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(sent)

        do_GET = do_POST = answer  # noqa: N815 (http.server looks for these names)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    rest = Rest(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield rest
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def page(*ids: str, following: str | None = None) -> Answer:
    """Return a page of a query."""
    facts = [{"@id": ident, "effective_confidence": 0.5} for ident in ids]
    return Answer(body={"as_of": "2026-04-26T12:00:00Z", "count": len(facts), "facts": facts, "next": following})


def ndjson(*documents: dict[str, Any], **more: Any) -> Answer:
    """Return documents as JSON Lines."""
    lines = "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
    return Answer(body=lines.encode(), kind="application/x-ndjson", **more)


def imported(count: int, unchanged: int = 0, errors: list[Any] | None = None) -> Answer:
    """Return what an import answers."""
    return Answer(body={"imported": count, "unchanged": unchanged, "errors": errors or []})


CONTEXT = Answer(body={"@context": {"kndl": "https://kndl.test/"}}, kind="application/ld+json")


def rules(*documents: Any) -> Answer:
    """Return the list of rules."""
    return Answer(body={"count": len(documents), "rules": documents})


NO_RULES = rules()
