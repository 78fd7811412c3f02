"""Bodies are read by the views, strictly (see `common.jsonio`); REST framework leaves them alone."""

from collections.abc import Mapping
from typing import Any

from rest_framework.parsers import BaseParser


class Untouched(BaseParser):
    """Takes any content type and reads nothing of the body.

    Without a parser that accepts it, the CSRF check of a browser's session would refuse every body but a form's.
    """

    media_type = "*/*"

    def parse(
        self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return {}
