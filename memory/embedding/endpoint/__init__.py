"""An OpenAI-compatible endpoint: where it is, how long we wait for it, and its answers as strict JSON."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2
import openai

from common import jsonio
from common.errors import Invalid
from memory.embedding.endpoint.fault import EndpointFault, fault_of
from memory.embedding.endpoint.transport import GuardedTransport

__all__ = ["Endpoint", "EndpointFault", "HasEndpoint", "answer_of", "endpoint_of"]

# Asked to say more, these say which requests are made, and with what headers.
for _name in ("openai", "httpx2", "httpcore2"):
    logging.getLogger(_name).setLevel(logging.WARNING)


class HasEndpoint(Protocol):
    """The part of the configuration that names an endpoint."""

    @property
    def llm_base_url(self) -> str | None: ...

    @property
    def llm_api_key(self) -> str | None: ...


class _Raw(Protocol):
    @property
    def http_response(self) -> httpx2.Response: ...


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address such as `https://models.example/v1`, and its bounds.

    `read_seconds` is the longest silence, and again the longest time that a body may take once it has begun.
    """

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    connect_seconds: float = 5
    read_seconds: float = 120
    most_bytes: int = 8_000_000

    def client(self) -> openai.OpenAI:
        """A client without retries that follows no redirect and takes nothing from the environment. Close it."""
        timeout = httpx2.Timeout(self.read_seconds, connect=self.connect_seconds)
        transport = GuardedTransport(api_key=self.api_key, most_bytes=self.most_bytes, body_seconds=self.read_seconds)
        return openai.OpenAI(
            base_url=self.base_url,
            api_key="set by the transport",
            max_retries=0,
            timeout=timeout,
            http_client=httpx2.Client(transport=transport, timeout=timeout, trust_env=False, follow_redirects=False),
        )


def endpoint_of(configuration: HasEndpoint) -> Endpoint:
    """The endpoint that the configuration names. Raises EndpointFault when it names none."""
    if configuration.llm_base_url is None:
        raise EndpointFault("KNDL_LLM_BASE_URL is not set.", retry=False)
    return Endpoint(configuration.llm_base_url, configuration.llm_api_key)


def answer_of(call: Callable[[], _Raw]) -> Any:
    """The JSON document that a call with raw response brings. Raises EndpointFault for anything else."""
    try:
        response = call().http_response
    except openai.OpenAIError as error:
        raise fault_of(error) from None
    except httpx2.HTTPError:
        raise EndpointFault("The model's endpoint does not speak HTTP as it should.") from None
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise EndpointFault("The model's endpoint answered with something else than JSON.")
    try:
        return jsonio.loads(response.content)
    except Invalid:
        raise EndpointFault("The model's endpoint answered with JSON that is broken or cannot be kept.") from None
