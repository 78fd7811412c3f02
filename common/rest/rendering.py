"""JSON out."""

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from common.jsonio import dumps


class JSONRenderer(BaseRenderer):
    """Compact JSON in UTF-8, numbers unrounded."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"" if data is None else dumps(data).encode()
