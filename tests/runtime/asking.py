"""Asking a running Kndl from outside, over HTTP."""

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FACT = {
    "statement": "The score is 720",
    "subject": "customer:1",
    "predicate": "score",
    "object": 720,
    "confidence": 0.95,
    "source": "https://example.test/scores/1",
}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Asker:
    """Whoever sends requests to `port`, with a seat's token or without."""

    port: int
    token: str = ""

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """One request on a connection of its own. Raises OSError when nobody answers."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()} | {"Host": f"localhost:{self.port}"}
        if self.token:
            sent["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            response = connection.getresponse()
            return Answer(response.status, dict(response.headers), response.read())
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def write(self, space: str, **changed: object) -> Answer:
        """Write FACT with some values changed."""
        return self.ask("POST", f"/api/v1/spaces/{space}/facts", FACT | changed)

    def subjects(self, space: str) -> list[str]:
        """The subjects of all facts of the seat's scope."""
        found = self.get(f"/api/v1/spaces/{space}/facts?limit=1000").json["facts"]
        return sorted(fact["subject"] for fact in found)
