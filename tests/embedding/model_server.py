"""A real HTTP server on this machine that plays a model's endpoint, well or badly."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

API_KEY = "sk-never-to-be-told"


@dataclass
class Asked:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Handler(BaseHTTPRequestHandler):
    """Hands each request to the server's behaviour, which writes what it likes."""

    server: "ModelServer"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked = Asked(self.path, headers, json.loads(raw))
        self.server.asked.append(self.asked)
        self.server.behave(self)

    def do_GET(self) -> None:
        self.server.asked.append(Asked(self.path, {}, {}))
        self.send(200, b"{}")

    def send(self, status: int, body: bytes, media_type: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", headers.pop("length", str(len(body))))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def send_json(self, document: Any, status: int = 200) -> None:
        self.send(status, json.dumps(document).encode())

    def echo(self) -> str:
        """All that the request held, as a spiteful server would repeat it."""
        return json.dumps([self.asked.headers, self.asked.body], ensure_ascii=False)

    def log_message(self, *_: Any) -> None:
        pass


Behaviour = Callable[[Handler], None]


@dataclass(eq=False)
class ModelServer(ThreadingHTTPServer):
    behave: Behaviour
    asked: list[Asked] = field(default_factory=list)

    daemon_threads = True
    block_on_close = False

    def __post_init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.ending = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: Any) -> None:
        """A client that hangs up on a bad answer is what the tests are about."""


@contextmanager
def model_server(behave: Behaviour) -> Iterator[ModelServer]:
    """The server, up while the block runs."""
    with ModelServer(behave) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.ending.set()
            server.shutdown()
            thread.join()
