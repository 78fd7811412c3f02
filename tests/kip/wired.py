"""A client of the KIP routes, and the addresses it is tested at."""

from dataclasses import dataclass
from typing import Any

from django.test import Client
from django.urls import include, path

from kndl_site.urls import handler404, handler500
from kndl_site.urls import urlpatterns as site

__all__ = ["handler404", "handler500", "urlpatterns"]

urlpatterns = [
    path("", include("memory.kip.urls")),
    path("api/v1/spaces/<slug:space>/", include("memory.kip.api_urls")),
    *site,
]


@dataclass
class Wired:
    """Sends KIP; `status` is that of the last answer."""

    client: Client
    address: str = "/kip"
    status: int = 0

    def post(self, method: str, params: Any) -> dict[str, Any]:
        """The answer to a method, whatever its status."""
        return self.send({"method": method, "params": params})

    def send(self, body: Any) -> dict[str, Any]:
        """The answer to a body."""
        answer = self.client.post(self.address, body, content_type="application/json")
        self.status = answer.status_code
        found: dict[str, Any] = answer.json()
        return found

    def run(self, command: str, /, **parameters: Any) -> dict[str, Any]:
        """The answer to a command."""
        return self.post("execute_kip", {"command": command, "parameters": parameters})

    def result(self, command: str, /, **parameters: Any) -> Any:
        """The result of a command, which must have one."""
        answer = self.run(command, **parameters)
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, command: str, /, **parameters: Any) -> str:
        """The code of the error that a command must have."""
        answer = self.run(command, **parameters)
        assert "error" in answer, answer
        code: str = answer["error"]["code"]
        return code
