"""What browsers and proxies may keep of an answer: nothing of a Space, since any of it may be PHI."""

from typing import TypeVar

from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control

Answer = TypeVar("Answer", bound=HttpResponseBase)


def kept_nowhere(response: Answer) -> Answer:
    """The same answer, which nobody on the way and no browser may store."""
    patch_cache_control(response, no_store=True)
    return response
