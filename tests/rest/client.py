"""REST as a test speaks it: one caller, one Space, paths as the documentation writes them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from django.test import Client

from tests.actors import make_seat_token

NDJSON = "application/x-ndjson"
SOURCE = "https://example.test/src"


@dataclass(frozen=True)
class Rest:
    """A caller of the REST routes of one Space. `client` carries who it is."""

    client: Client = field(default_factory=Client)
    space: str = "north"

    def get(self, path: str, /, **query: Any) -> Any:
        return self.client.get(self.address(path), {k: v for k, v in query.items() if v is not None})

    def post(self, path: str, body: Any, /, *, query: dict[str, Any] | None = None, **headers: str) -> Any:
        """Post JSON, or the bytes of a body that is not."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.post(
            self.address(path), content, content_type="application/json", query_params=query, headers=named
        )

    def lines(self, path: str, lines: Iterable[Any], **query: Any) -> Any:
        """Post JSON Lines; a line of bytes is sent as it is."""
        body = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        return self.client.post(self.address(path), body, content_type=NDJSON, query_params=query)

    def imported(self, *facts: dict[str, Any], **query: Any) -> dict[str, Any]:
        """Import facts, all of which must be taken, and return the answer."""
        answer = self.lines("facts/import", facts, **query)
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        assert found["errors"] == []
        return found

    def written(self, /, **fields: Any) -> dict[str, Any]:
        """Write one fact, which must be taken, and return it as it was answered."""
        answer = self.post("facts", live(**fields))
        assert answer.status_code == 201, answer.content
        found: dict[str, Any] = answer.json()
        return found

    def listed(self, **query: Any) -> list[dict[str, Any]]:
        """The facts of one page."""
        answer = self.get("facts", **query)
        assert answer.status_code == 200, answer.content
        found: list[dict[str, Any]] = answer.json()["facts"]
        return found

    def ids(self, **query: Any) -> list[str]:
        return [fact["@id"] for fact in self.listed(**query)]

    def exported(self, **query: Any) -> list[dict[str, Any]]:
        """The documents of an export, parsed."""
        answer = self.get("facts/export", **query)
        assert answer.status_code == 200, answer.content
        return [json.loads(line) for line in answer.getvalue().splitlines()]

    def address(self, path: str) -> str:
        return f"/api/v1/spaces/{self.space}/{quote(path, safe='/:')}"


def seat(space: Any, **more: Any) -> Rest:
    """The REST of a new seat of `space`; `more` is that of `make_seat_token`."""
    return bearer(make_seat_token(space, **more), space.slug)


def bearer(token: str, space: str = "north") -> Rest:
    """The REST of whoever holds `token`."""
    return Rest(Client(headers={"Authorization": f"Bearer {token}"}), space)


def live(**fields: Any) -> dict[str, Any]:
    """A fact as a live write states it; `fields` replace its own, and None takes one away."""
    stated = {"statement": "the door is open", "confidence": 0.9, "source": SOURCE} | fields
    return {name: value for name, value in stated.items() if value is not None}


def stored(name: str, **fields: Any) -> dict[str, Any]:
    """A fact as a memory folder holds it, known and valid since the new year of 2026; its id is `fact:<name>`."""
    since = {"recordedAt": "2026-01-01T00:00:00Z", "validFrom": "2026-01-01T00:00:00Z"}
    return {"@id": f"fact:{name}", "@type": "Fact"} | live(**({"statement": f"this is {name}"} | since | fields))
