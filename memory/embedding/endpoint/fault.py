"""What can be wrong with an endpoint, as one error whose reason holds nothing that was sent or came back."""

import openai

_REDIRECTS = range(300, 400)
_PASSING = frozenset({408, 409, 425, 429})


class EndpointFault(Exception):
    """No usable answer came: `reason` is a sentence for a person, `status` the HTTP status if there was one.

    `retry` tells whether the same request may well succeed later without anybody changing the configuration.
    """

    def __init__(self, reason: str, *, retry: bool = True, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry = retry
        self.status = status


def fault_of(error: openai.OpenAIError) -> EndpointFault:
    """The fault that an error of the client stands for; its own message may quote what was sent, so it is not used."""
    if isinstance(error, openai.APIStatusError):
        return _fault_of_status(error.status_code)
    if isinstance(error, openai.APITimeoutError):
        return EndpointFault("The model's endpoint did not answer in time.")
    return EndpointFault("The model's endpoint cannot be reached, or the connection broke off.")


def _fault_of_status(status: int) -> EndpointFault:
    if status == 429:
        reason = "The model's endpoint has had too many requests"
    elif status in _REDIRECTS:
        reason = "The model's endpoint points to another address, which is not followed; mend KNDL_LLM_BASE_URL"
    elif status in {401, 403}:
        reason = "The model's endpoint does not accept KNDL_LLM_API_KEY"
    elif status == 404:
        reason = "The model's endpoint knows no such address or model; see KNDL_LLM_BASE_URL and the model's name"
    elif status >= 500:
        reason = "The model's endpoint failed"
    else:
        reason = "The model's endpoint refused the request"
    return EndpointFault(f"{reason} (status {status}).", retry=status >= 500 or status in _PASSING, status=status)
